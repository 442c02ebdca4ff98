import HTTP
import Records
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

@Suite struct CacheToolTests {
    @Test func failedRecordLosesItsPictureFields() throws {
        let line = #"{"path":"/etc/passwd","n":1,"cache":{"key":"k"},"gif":{"placeholder":true},"\u0070ath":"/x"}"#
        var record = try Record(parsing: line.utf8)
        record.removePlace()
        #expect(record.names == ["n"])
    }

    @Test func recordWithSeveralAddressesCountsOneHitOrMiss() throws {
        let world = try Surroundings()
        let caches = Caches(settings: CacheSettings(root: world.root), interruption: Interruption())
        let rules = CacheItem.Rules()
        let cache = try caches.standard()
        let key = try CacheKey(url: WebURL("https://example.org/b.png"))
        _ = try cache.store(MemorySource(picture()), key: key)
        func find(_ line: String) throws -> Entry {
            try caches.find(RecordJob(Record(parsing: line.utf8)), rules).entry
        }
        func counts() throws -> [Int] {
            cache.close()
            let statistics = try cache.statistics()
            return [statistics[.hits], statistics[.misses]]
        }
        let before = try counts()
        let found = try find(#"{"hdurl":"https://example.org/a.png","url":"https://example.org/b.png"}"#)
        #expect(found.key == key.text)
        #expect(try counts() == [before[0] + 1, before[1]])
        let failure = #expect(throws: CacheFailure.self) {
            try find(#"{"hdurl":"https://example.org/a.png","url":"https://example.org/c.png"}"#)
        }
        #expect(failure == .absent(key: "https://example.org/a.png"))
        #expect(try counts() == [before[0] + 1, before[1] + 1])
        #expect(throws: NoPicture.self) { try find(#"{"n":1}"#) }
    }

    @Test func expiredEntryIsAbsentIfStaleEntriesAreNotAllowed() throws {
        let world = try Surroundings()
        var settings = CacheSettings(root: world.root)
        settings.ttl = .zero
        let caches = Caches(settings: settings, interruption: Interruption())
        let cache = try caches.standard()
        let key = try CacheKey(url: WebURL("https://example.org/a.png"))
        let expired = try cache.store(MemorySource(picture()), key: key).entry
        let job = RecordJob(try Record(parsing: #"{"url":"https://example.org/a.png"}"#.utf8))
        #expect(try caches.find(job, CacheItem.Rules()).status == .stale)
        cache.close()
        let before = try cache.statistics()
        let failure = #expect(throws: ExpiredEntry.self) {
            try caches.find(job, CacheItem.Rules(), takesExpired: false)
        }
        #expect(failure?.code == "not-cached" && failure?.exitCode == .absent && failure?.since == expired.expiresAt)
        cache.close()
        let after = try cache.statistics()
        #expect(after[.hits] == before[.hits] && after[.stale] == before[.stale])
    }

    @Test func recordOfAFailedPutHasNoPath() throws {
        let world = try Surroundings()
        let caches = Caches(settings: CacheSettings(root: world.root), interruption: Interruption())
        let tool = PutTool(
            caches: caches, client: world.client(FakeServer(picture())), rules: CacheItem.Rules()
        ) { HTTPRequest(url: $0) }
        var file = Record()
        tool.retract(&file, argument: "/nowhere/moon.png")
        #expect(file.isEmpty)
        var address = Record()
        tool.retract(&address, argument: "https://example.org/moon.png")
        #expect(address.isEmpty)
        var record = try Record(parsing: #"{"path":"/etc/passwd"}"#.utf8)
        tool.retract(&record, argument: nil)
        #expect(record.isEmpty)
    }
}
