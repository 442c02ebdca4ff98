import HTTP
import Records
import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

@Suite struct KeyTests {
    @Test func sha256MatchesTheExamplesOfTheStandard() {
        #expect(SHA256.hex(of: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(SHA256.hex(of: "") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func keyOfAnAddressIsItsNormalForm() throws {
        let written = CacheKey(url: try WebURL("HTTPS://user:word@Pictures.example:443/a/../b.jpg?x=1#top"))

        #expect(written.text == "https://pictures.example/b.jpg?x=1")
    }

    @Test func ignoredQueryParametersAreRemovedFromKeys() throws {
        let url = try WebURL("https://pictures.example/a.jpg?w=100&v=2&h=50")

        #expect(CacheKey(url: url, ignoringQuery: ["w", "h"]).text == "https://pictures.example/a.jpg?v=2")
        #expect(CacheKey(url: url, ignoringQuery: ["w", "h", "v"]).text == "https://pictures.example/a.jpg")
    }

    @Test func keysHideSecretsButDependOnThem() throws {
        let mars = CacheKey(url: try WebURL("https://pictures.example/a?api_key=opensesame&x=1"))
        let moon = CacheKey(url: try WebURL("https://pictures.example/a?api_key=abracadabra&x=1"))

        #expect(!mars.text.contains("opensesame"))
        #expect(mars != moon)
        #expect(mars.text.hasSuffix("&x=1"))
    }

    @Test func parsingAPrintedKeyReturnsTheSameKey() throws {
        let key = CacheKey(url: try WebURL("https://pictures.example/a?token=opensesame"))

        #expect(CacheKey(url: try WebURL(key.text)) == key)
        #expect(try CacheKey(printed: key.text).name == key.name)
    }

    @Test(arguments: ["", "a\nb", "a\u{0}b", "key:", String(repeating: "x", count: 1025)])
    func invalidNameIsRefused(_ text: String) {
        #expect(throws: CacheFailure.self) { try CacheKey(name: text) }
    }

    @Test(arguments: ["", "a\nb", String(repeating: "x", count: 131_073)])
    func invalidKeyIsRefused(_ text: String) {
        #expect(throws: CacheFailure.self) { try CacheKey(printed: text) }
    }

    /// Regression test: with `--field key=id`, `{"id":"https://good/a.jpg","url":"https://evil/b.jpg"}` stored the
    /// picture of the second address under the key of the first.
    @Test(arguments: ["https://good.example/a.jpg", "file:///etc/passwd", "exercisedb:0001@180", "truncated:x", "moon"])
    func customNameNeverCollidesWithAnotherKey(_ name: String) throws {
        let own = try CacheKey(name: name)

        #expect(own.text == "key:" + name)
        #expect(own != (try CacheKey(printed: name)))
        // Parsing a printed key returns the same key.
        #expect(try CacheKey(name: own.text) == own)
        #expect(try CacheKey(argument: own.text) == own)
    }

    @Test func lookupTriesAPrintedKeyBeforeACustomName() throws {
        let printed = ["https://good.example/a.jpg", "file:///a.png", "exercisedb:0001@180"]
        for name in printed { #expect(try CacheKey.meant(by: name).map(\.text) == [name, "key:" + name]) }
        for name in ["moon", "key:moon"] { #expect(try CacheKey.meant(by: name).map(\.text) == ["key:moon"]) }
        // This text is too long for a custom name, but not for an address.
        let long = "https://good.example/" + String(repeating: "x", count: 2000)
        #expect(try CacheKey.meant(by: long).map(\.text) == [long])
    }

    /// Swift considers the two texts equal, but the keys have different file names.
    @Test func keysAreComparedByTheirBytes() throws {
        let (one, two) = (try CacheKey(name: "\u{E9}"), try CacheKey(name: "e\u{301}"))

        #expect(one.text == two.text)
        #expect(one != two && one.name != two.name)
        #expect(Set([one, two]).count == 2)
    }

    #if os(Linux)
    /// Each file name has its own key, and parsing a printed key returns the same key.
    @Test func fileKeyIsThePercentEncodedPath() throws {
        let folder = try TemporaryFolder()
        let names: [(name: [UInt8], key: String)] = [
            (Array("a b.jpg".utf8), "a%20b.jpg"), (Array("é.jpg".utf8), "%C3%A9.jpg"), ([0xE9], "%E9"),
            (Array("%E9".utf8), "%25E9"), (Array("50%".utf8), "50%25"), (Array("a?b#c".utf8), "a%3Fb%23c"),
            (Array("a\nb".utf8), "a%0Ab"), (Array("\u{10FEFF}".utf8), "%F4%8F%BB%BF"),
            (Array("a+b[1].jpg".utf8), "a+b[1].jpg"),
        ]
        for (name, ending) in names {
            let path = folder.path(String(pathBytes: name))
            // The key is the same before and after the file is created.
            let key = try CacheKey.ofFile(path)
            try folder.write(String(pathBytes: name), "")

            #expect(key.text == "file://\(folder.path)/\(ending)")
            #expect(try CacheKey.ofFile(path) == key)
            #expect(try CacheKey(argument: key.text) == key)
            #expect(try CacheKey.meant(by: key.text).first == key)
        }
    }
    #endif

    @Test func fileKeyMayBeTypedWithoutEscapes() throws {
        #expect(try CacheKey(argument: "file:///a b/é.jpg")?.text == "file:///a%20b/%C3%A9.jpg")
        #expect(try CacheKey(argument: "file:///a%20b/é.jpg")?.text == "file:///a%20b/%C3%A9.jpg")
        let foreign = "file:///" + String(pathBytes: [0xE9])
        #expect(try CacheKey(argument: foreign)?.text == "file:///%E9")
    }

    @Test func namesMustBeValidUnicode() throws {
        let foreign = String(pathBytes: [0x61, 0xFF])
        #expect(throws: CacheFailure.self) { try CacheKey(name: foreign) }
        #expect(throws: CacheFailure.self) { try CacheKey(printed: foreign) }
        #expect(throws: CacheFailure.self) { try ScopeName(foreign) }
        let job = RecordJob(Record(), argument: "https://good.example/\(foreign)")
        #expect(throws: UsageFailure.self) { try CacheItem.Rules().item(of: job) }
        // Paths use this scalar to represent an invalid byte. Encoded as valid UTF-8, it is an ordinary character.
        #expect(try CacheKey(name: String(pathBytes: "\u{10FEFF}".utf8)).text == "key:\u{10FEFF}")
    }

    @Test func keyOfTheLongestAddressIsAccepted() throws {
        let prefix = "https://good.example/?"
        let text = prefix + String(repeating: "sig=1&", count: (WebURL.byteLimit - prefix.utf8.count) / 6)
        let key = CacheKey(url: try WebURL(text))

        #expect(key.text.utf8.count > 4 * text.utf8.count)
        #expect(try CacheKey(printed: key.text) == key)
    }

    @Test func scopeNameMayContainAnyPrintableCharacter() throws {
        let name = try ScopeName("../../Ünïcode scope / 1")

        #expect(name.hash.count == 32)
        #expect(name.hash.allSatisfy { "0123456789abcdef".contains($0) })
    }

    @Test(arguments: ["", "a\tb", String(repeating: "x", count: 256)])
    func invalidScopeNameIsRefused(_ text: String) {
        #expect(throws: CacheFailure.self) { try ScopeName(text) }
    }

    @Test func variantNameNeverEqualsAnOriginalsName() throws {
        #expect(try key("a").variantName("b") != key("ab").name)
        #expect(try key("a").variantName("bc") != key("ab").variantName("c"))
    }
}
