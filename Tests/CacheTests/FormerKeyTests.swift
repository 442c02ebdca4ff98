import CIDN
import HTTP
import Libc
import Records
import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Keys that the pre-release of 2026-11-24 derived from addresses that are now parsed differently.
@Suite struct FormerKeyTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    /// An address as typed, its normal form, and its key in the pre-release.
    struct Address: Sendable {
        let text: String
        let read: String
        let former: String

        init(_ text: String, _ read: String, _ former: String) {
            (self.text, self.read, self.former) = (text, read, former)
        }
    }

    static let changed = [
        Address("https://h.example/a\\b.jpg", "https://h.example/a/b.jpg", "https://h.example/a%5Cb.jpg"),
        Address(
            "HTTPS://u:p@H.example:443/a\\..\\b.jpg?x=\\#\\", "https://h.example/b.jpg?x=%5C",
            "https://h.example/a%5C..%5Cb.jpg?x=%5C"),
        Address(
            "https://h.example/a\\b?token=1234&w=9", "https://h.example/a/b?token=1234&w=9",
            "https://h.example/a%5Cb?token=sha256-\(SHA256.hex(of: "1234").prefix(16))&w=9"),
    ]

    static let changedHosts = [
        Address(
            "https://bu\u{308}cher.example/a.jpg", "https://xn--bcher-kva.example/a.jpg",
            "https://xn--bucher-xyd.example/a.jpg"),
        Address(
            "http://b%75%CC%88cher.example:8080/a\\ä.jpg?w=1&h=2", "http://xn--bcher-kva.example:8080/a/%C3%A4.jpg?w=1",
            "http://xn--bucher-xyd.example:8080/a%5C%C3%A4.jpg?w=1"),
        Address("https://ﬁn.example/a.jpg", "https://fin.example/a.jpg", "https://xn--n-sy8h.example/a.jpg"),
    ]

    static let unchanged = [
        "https://h.example/a/b.jpg", "https://h.example/a%5Cb.jpg", "https://bücher.example/ä.jpg?a=\\",
        "https://faß.example/a", "http://１２７.0.0.1/a", "https://localhost./ä",
        // The pre-release refused the following addresses.
        "https:\\\\h.example/a", "https://h.example\\a", "https://good.example\\@evil.example/a",
        "https://نامه\u{200C}ای.example/a.jpg",
    ]

    private var rules: CacheItem.Rules {
        CacheItem.Rules(ignoredQuery: ["h"], secrets: KeySecrets(of: CacheSettings(root: world.root), makes: true))
    }

    private func key(_ text: String) throws -> CacheKey {
        try #require(try rules.keys(of: RecordJob(Record(), argument: text)).first).key
    }

    @Test(arguments: changed) func formerKeyKeepsABackslashInThePath(_ address: Address) throws {
        try expectKeys(of: address)
    }

    @Test(.enabled(if: cidn_load() == nil, "libidn2 is not installed"), arguments: changedHosts)
    func hostOfAFormerKeyWasEncodedWithoutNormalization(_ address: Address) throws { try expectKeys(of: address) }

    private func expectKeys(of address: Address) throws {
        let key = try key(address.text)
        #expect(try key == self.key(address.read) && key.legacyKey == address.former)
    }

    @Test(arguments: unchanged) func addressesWhoseKeyIsUnchangedHaveNoFormerKey(_ text: String) throws {
        guard !InternationalName.mayBeHost(of: text) || cidn_load() == nil else { return }
        #expect(try key(text).legacyKey == nil)
    }

    /// The entry keeps its bytes, its pin and the rows of its variants, and no request is sent.
    @Test(arguments: changed + (cidn_load() == nil ? changedHosts : []))
    func entryOfAFormerKeyIsFoundAndRenamed(_ address: Address) throws {
        for isPut in [false, true] {
            let world = try Surroundings()
            let rules = CacheItem.Rules(
                ignoredQuery: ["h"], secrets: KeySecrets(of: CacheSettings(root: world.root), makes: true))
            let former = try CacheKey(printed: address.former)
            let cache = try world.cache()
            let old = try cache.store(MemorySource(picture()), key: former, url: former.text).entry
            _ = try cache.setPinned(old, true)
            _ = try cache.variant(of: former, options: "w=3") { _, sink in
                try sink.write(png)
                return FileFacts(contentType: "image/png", fileExtension: "png", width: 1, height: 1)
            }
            let lookup = try #require(try rules.keys(of: RecordJob(Record(), argument: address.text)).first)
            #expect(try cache.peek(lookup.key) != nil)
            let server = FakeServer(picture(1))
            let found =
                isPut
                ? try cache.fetch(HTTPRequest(address.text), key: lookup.key, client: world.client(server)).entry
                : try #require(try cache.lookup(lookup.key))
            #expect(server.requests.isEmpty)
            #expect(found.sha256 == old.sha256 && found.isPinned)
            #expect(found.key == lookup.key.text)
            #expect(try cache.variants(of: found).count == 1)
            #expect(try cache.row(former.name) == nil)
            // The old path is still leased.
            #expect(TestFile.exists(old.path) && found.path != old.path)
            #expect(try cache.remove(lookup.key) && world.files("scopes").isEmpty)
        }
    }

    /// Regression test: the file kept the name of the former key and was therefore treated as a file without a row:
    /// `clean` removed it, or the first run after a restart added a second row for it.
    @Test func fileOfARenamedEntryHasARow() throws {
        let address = Self.changed[0]
        let former = try CacheKey(printed: address.former)
        let old = try world.cache().store(MemorySource(picture()), key: former, url: former.text).entry
        let key = try key(address.text)
        #expect(try world.cache().lookup(key)?.key == address.read)
        world.time.advance(.seconds(3600))

        let cache = try world.cache()
        try world.restart(cache)
        #expect(try cache.lookup(key)?.sha256 == old.sha256)
        try cache.recovery.rebuild { entry in Issue.record("recovered \(entry.path)") }
        try cache.maintenance.clean { step in
            #expect(step.kind != .orphans || step.count == 0)
        }

        let found = try #require(try cache.lookup(key))
        #expect(try TestFile.bytes(found.path) == picture())
        #expect(world.files("scopes").count == 1 && !TestFile.exists(old.path))
        #expect(try cache.statistics().entries == 1)
    }

    /// After the index is lost, the file of a renamed entry is found by its current key.
    @Test func fileOfARenamedEntryIsRecovered() throws {
        let address = Self.changed[0]
        let former = try CacheKey(printed: address.former)
        let old = try world.cache().store(MemorySource(picture()), key: former, url: former.text).entry
        let key = try key(address.text)
        #expect(try world.cache().lookup(key)?.key == address.read)
        unlink(old.path)
        world.loseIndex()

        #expect(try world.cache().lookup(key)?.sha256 == old.sha256)
    }

    /// The pre-release printed keys with hosts that are no longer valid.
    @Test(.enabled(if: cidn_load() == nil, "libidn2 is not installed")) func keyWithANowInvalidHostIsFound() throws {
        let text = "https://xn--bucher-xyd.example/a.jpg"
        #expect(try key(text).text == text)
        #expect(throws: WebURLFailure.self) { try key("https://u:p@xn--bucher-xyd.example/a.jpg") }
        #expect(throws: WebURLFailure.blockedScheme(of: "ftp://h.example/a.jpg")) { try key("ftp://h.example/a.jpg") }
    }
}
