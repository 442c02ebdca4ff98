import Records
import Support
import TestSupport
import Testing

@testable import Remote
@testable import Store

@Suite struct RemoteDocumentTests {
    private let key = Array("a key of enough bytes".utf8)

    @Test func documentsSurviveARoundTrip() throws {
        let original = try RemoteDocument.original("https://pictures.example/moon.png", [1, 2, 3])
        let of = SHA256.hex(of: "original")
        let variant = RemoteDocument(
            name: RemoteName(variant: "0123", of: of, in: .standard),
            subject: .variant(name: "0123", key: "https://pictures.example/moon.png", of: of),
            content: .bytes(sha256: of, count: 0), fetchedAt: original.fetchedAt, expiresAt: nil)
        let row = RemoteDocument(
            name: RemoteName(metadata: "2024-02-03", in: "apod/science", of: .standard),
            subject: .metadata(name: "2024-02-03", collection: "apod/science"),
            content: .inline(Array("{\"title\":\"é\\u0000\"}".utf8)), fetchedAt: original.fetchedAt, expiresAt: nil)
        for document in [original, variant, row] {
            for key in [nil, key] {
                let bytes = document.encoded(key: key)
                #expect(try RemoteDocument(bytes, named: document.name, key: key) == document)
            }
        }
    }

    @Test func documentsWithoutAValidSignatureAreIgnored() throws {
        let document = try RemoteDocument.original("https://pictures.example/moon.png", [1])
        let signed = document.encoded(key: key)
        #expect(try RemoteDocument(document.encoded(key: nil), named: document.name, key: key) == nil)
        #expect(
            try RemoteDocument(
                document.encoded(key: Array("another key, just as long".utf8)), named: document.name, key: key) == nil)
        // A change of any byte invalidates the signature.
        let text = String(decoding: signed, as: UTF8.self)
        let forged = text.replacing(text: "moon", with: "noon")
        #expect(forged != text)
        #expect(try RemoteDocument(Array(forged.utf8), named: document.name, key: key) == nil)
        // Without a key, a reader does not check signatures.
        #expect(try RemoteDocument(signed, named: document.name, key: nil) == document)
    }

    @Test func documentWithAnotherNameIsDamaged() throws {
        let moon = try RemoteDocument.original("https://pictures.example/moon.png", [1])
        let mars = try RemoteDocument.original("https://pictures.example/mars.png", [2])
        #expect(
            message { _ = try RemoteDocument(moon.encoded(key: key), named: mars.name, key: key) }
                == "65 damaged entry: the document describes another entry")
    }

    @Test(arguments: ["", "{}", "nonsense", "<html>a login page</html>", "{\"document\":7}"])
    func otherBytesAreNotADocument(_ text: String) throws {
        let name = RemoteName(originalOf: try CacheKey(printed: "k"), in: .standard)
        #expect(
            message { _ = try RemoteDocument(Array(text.utf8), named: name, key: nil) }
                == "65 damaged entry: the bytes are not a document")
    }

    @Test(arguments: [
        "{\"document\":{\"layout\":1}}",
        "{\"document\":{\"layout\":2,\"name\":\"NAME\",\"kind\":\"original\",\"key\":\"k\",\"sha256\":\"SHA\",\"bytes\":1,\"fetched_at\":\"2026-01-01\"}}",
        "{\"document\":{\"layout\":1,\"name\":\"NAME\",\"kind\":\"original\",\"key\":\"k\",\"sha256\":\"../../x\",\"bytes\":1,\"fetched_at\":\"2026-01-01\"}}",
        "{\"document\":{\"layout\":1,\"name\":\"NAME\",\"kind\":\"original\",\"key\":\"k\",\"sha256\":\"SHA\",\"bytes\":-1,\"fetched_at\":\"2026-01-01\"}}",
        "{\"document\":{\"layout\":1,\"name\":\"NAME\",\"kind\":\"original\",\"key\":\"k\",\"sha256\":\"SHA\",\"bytes\":1,\"fetched_at\":\"soon\"}}",
        "{\"document\":{\"layout\":1,\"name\":\"NAME\",\"kind\":\"else\",\"sha256\":\"SHA\",\"bytes\":1,\"fetched_at\":\"2026-01-01\"}}",
        "{\"document\":{\"layout\":1,\"name\":\"NAME\",\"kind\":\"metadata\",\"row\":\"r\",\"collection\":\"c\",\"body\":\"no base 64\",\"fetched_at\":\"2026-01-01\"}}",
    ])
    func invalidDocumentIsDamaged(_ text: String) throws {
        let name = RemoteName(originalOf: try CacheKey(printed: "k"), in: .standard)
        let bytes = Array(
            text.replacing(text: "NAME", with: name.digest).replacing(text: "SHA", with: SHA256.hex(of: "x")).utf8)
        let described = "65 damaged entry: the document describes another entry"
        let lacking = "65 damaged entry: the document lacks a required field"
        let isOther = !text.contains("NAME") || text.contains("\"layout\":2")
        #expect(message { _ = try RemoteDocument(bytes, named: name, key: nil) } == (isOther ? described : lacking))
    }

    @Test(arguments: [
        ("url", "moon.png"), ("url", "file:///etc/passwd"), ("url", "https://user:secret@pictures.example/"),
        ("url", "https://pictures.example/\u{1B}[2J"), ("etag", "\"1\"\r\nX-Evil: 1"),
        ("last_modified", "yesterday\n"), ("content_type", "image/png\u{9B}1m"), ("extension", "p\u{0}ng"),
        ("details", "\u{7F}"), ("key", "https://pictures.example/a\u{7}"),
    ])
    func documentWithControlCharactersOrAnInvalidAddressIsDamaged(_ field: String, _ value: String) throws {
        let document = try RemoteDocument.original("https://pictures.example/moon.png", [1])
        let whole = try Record(parsing: document.encoded(key: nil))
        var record = try Record(parsing: Array(try #require(whole.raw("document"))))
        record.set(field, .string(value))
        let bytes = JSON.object(["document": .raw(record.line)]).bytes
        let controls = "the field \"\(field)\" has control characters"
        let address = "its url is invalid or contains credentials"
        let fault =
            value.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) } ? controls : address
        #expect(
            message { _ = try RemoteDocument(bytes, named: document.name, key: nil) } == "65 damaged entry: \(fault)")
    }

    @Test func namesDifferBetweenScopesAndKinds() throws {
        let key = try CacheKey(printed: "https://pictures.example/moon.png")
        let other = try ScopeName("alice")
        let names = [
            RemoteName(originalOf: key, in: .standard), RemoteName(originalOf: key, in: other),
            RemoteName(variant: key.text, of: "", in: .standard),
            RemoteName(metadata: key.text, in: "", of: .standard), RemoteName(listOf: .standard),
            RemoteName(listOf: other),
        ]
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.digest.isSHA256 })
    }
}

@Suite struct SyncListTests {
    @Test func listSurvivesARoundTrip() throws {
        var list = SyncList()
        let original = try RemoteDocument.original("https://pictures.example/moon.png", [1])
        list.insert(original)
        list.insert(original)
        list.insert(
            RemoteDocument(
                name: RemoteName(variant: "0", of: "1", in: .standard), subject: .variant(name: "0", key: "k", of: "1"),
                content: .inline([]), fetchedAt: original.fetchedAt, expiresAt: nil))
        #expect(SyncList(list.text) == list)
        #expect(list.groups.map(\.count) == [1, 1, 0])
        #expect(list.groups[0] == [original.name])
    }

    @Test func invalidLinesAreIgnored() {
        #expect(SyncList(Array("o ../../etc\nx\n\no \n<html>\n".utf8)) == SyncList())
    }
}
