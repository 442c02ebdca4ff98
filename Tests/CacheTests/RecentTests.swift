import HTTP
import Libc
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Repeated lookups within one run. A second cache on the same root simulates another process.
@Suite struct RecentTests {
    private let world: Surroundings
    private let cache: CacheStore
    private let other: CacheStore

    init() throws {
        world = try Surroundings()
        cache = try world.cache()
        other = try world.cache()
        _ = try cache.store(MemorySource(picture(1)), key: key("moon"))
        // Only the second lookup finds the recorded lease and remembers the entry.
        for _ in 0..<2 { _ = try cache.lookup(key("moon")) }
    }

    private func isRecalled(_ text: String = "moon", by cache: CacheStore? = nil) -> Bool {
        let cache = cache ?? self.cache
        return cache.recentEntry(text, version: cache.index.version()) != nil
    }

    // MARK: Hits

    @Test func repeatedLookupDoesNotStatTheFile() throws {
        let path = try #require(try cache.lookup(key("moon"))).path
        unlink(path)

        for _ in 0..<100 { #expect(try cache.lookup(key("moon"))?.path == path) }

        #expect(try cache.statistics()[.hits] == 103)
    }

    @Test func fetchesAndVariantsAreRemembered() throws {
        let server = FakeServer(picture(2))
        let request = try HTTPRequest("https://pictures.example/mars.gif")
        let parent = CacheKey(url: request.url)
        func use(isFirst: Bool) throws {
            let status = try cache.fetch(request, client: world.client(server)).status
            #expect(status == (isFirst ? .miss : .hit))
            let variant = try cache.variant(of: parent, options: "w=3") { original, sink in
                try sink.write(Array("\(original.bytes)".utf8))
                return FileFacts(contentType: "image/png", fileExtension: "png", width: 3, height: 2)
            }
            #expect(variant.isNew == isFirst)
        }
        try use(isFirst: true)
        try use(isFirst: false)
        #expect(isRecalled(parent.text))
        for entry in try cache.allEntries() where entry.key == parent.text { unlink(entry.path) }

        try use(isFirst: false)

        #expect(try cache.statistics()[.variantHits] == 2)
        #expect(server.requests.count == 1)
    }

    @Test func freshHitsAreCountedAndMissesAreNot() throws {
        let misses = try cache.statistics()[.misses]
        #expect(cache.freshHit(try key("moon"), asFetch: true) != nil)
        #expect(cache.freshHit(try key("mars"), asFetch: true) == nil)

        #expect(try cache.statistics()[.hits] == 3)
        #expect(try cache.statistics()[.misses] == misses)
        let refreshing = try world.cache { $0.refreshes = true }
        #expect(refreshing.freshHit(try key("moon"), asFetch: true) == nil)
        #expect(refreshing.freshHit(try key("moon"), asFetch: false) != nil)
    }

    @Test func pictureAboveTheLimitIsNotRemembered() throws {
        let small = try world.cache { $0.recentBytes = picture(1).count - 1 }
        for _ in 0..<2 { _ = try small.lookup(key("moon")) }

        #expect(!isRecalled(by: small))
    }

    // MARK: Invalidation

    @Test func fileRemovedByAnotherProgramIsNoticedAfterASecond() throws {
        unlink(try #require(try cache.lookup(key("moon"))).path)
        world.time.advance(.milliseconds(1001))

        #expect(try cache.lookup(key("moon")) == nil)
    }

    @Test func recentEntryIsDroppedAfterTheClockIsSetBack() throws {
        #expect(isRecalled())
        world.time.advance(.seconds(-1))

        #expect(!isRecalled())
    }

    @Test(arguments: [false, true]) func lookupNoticesARemoval(bySelf: Bool) throws {
        #expect(isRecalled())
        try (bySelf ? cache : other).remove(key("moon"))

        #expect(try cache.lookup(key("moon")) == nil)
        #expect(cache.freshHit(try key("moon"), asFetch: true) == nil)
    }

    @Test(arguments: [false, true]) func lookupNoticesAReplacement(bySelf: Bool) throws {
        _ = try (bySelf ? cache : other).store(MemorySource(picture(2, bytes: 99)), key: key("moon"))

        #expect(try cache.lookup(key("moon"))?.bytes == 99)
    }

    @Test(arguments: [false, true]) func lookupNoticesAPurge(bySelf: Bool) throws {
        _ = try (bySelf ? cache : other).scopes.purge(cache.scope)

        #expect(try cache.lookup(key("moon")) == nil)
    }

    @Test func lookupNoticesTrimming() throws {
        world.time.advance(.seconds(900))
        let small = try world.cache(capacity: 100)
        // Remembers the entry without renewing its lease, which has ended.
        let version = cache.index.version()
        let entry = try #require(try cache.row(key("moon").name))
        cache.remember(entry, as: "moon", version: version)
        _ = try small.store(MemorySource(picture(3, bytes: 80)), key: key("mars"))

        #expect(try cache.lookup(key("moon")) == nil)
    }

    @Test func lookupNoticesARemovedRoot() throws {
        #expect(isRecalled())
        Surroundings.removeTree(world.root)

        #expect(!isRecalled())
        #expect(try cache.lookup(key("moon")) == nil)
        _ = try cache.store(MemorySource(picture(4)), key: key("moon"))
        #expect(try cache.lookup(key("moon"))?.sha256 == BlobStore.sha256(of: MemorySource(picture(4))))
    }

    @Test func expiredEntryIsNotRemembered() throws {
        let brief = try world.cache { $0.ttl = .milliseconds(500) }
        _ = try brief.store(MemorySource(picture(5)), key: key("mars"))
        _ = try brief.lookup(key("mars"))
        #expect(isRecalled("mars", by: brief))
        world.time.advance(.milliseconds(500))

        #expect(!isRecalled("mars", by: brief))
    }

    @Test func leaseOfARecentEntryIsRenewedInTheIndex() throws {
        world.time.advance(.milliseconds(39_500))
        _ = try cache.lookup(key("moon"))
        #expect(isRecalled())
        world.time.advance(.milliseconds(501))
        #expect(!isRecalled())

        #expect(try cache.lookup(key("moon"))?.lastUsed == world.time.now)
        try cache.index.flush(now: world.time.now)
        #expect(try cache.row(key("moon").name)?.lastUsed == world.time.now)
    }

    // MARK: Versions

    @Test func recordedUsesAndCountersDoNotChangeTheVersion() throws {
        let version = try #require(cache.index.version())
        world.time.advance(.seconds(61))
        let entry = try #require(try cache.row(key("moon").name))

        #expect(try cache.extendLease(of: entry) != nil)
        cache.count(.hit, entry)
        try cache.index.flush(now: world.time.now)

        #expect(cache.index.version() == version)
        try other.index.requireWriting()
        #expect(other.index.version() != nil)
    }

    @Test func commitOfAnotherProcessChangesTheVersionDespiteConcurrentUses() throws {
        let entry = try #require(try cache.row(key("moon").name))
        var version = cache.index.version()
        for round in 0..<100 {
            _ = try other.store(MemorySource(picture(round)), key: key("mars"))
            cache.index.use(entry)
            try cache.index.flush(now: world.time.now)
            let next = cache.index.version()
            #expect(next != version)
            version = next
        }
    }

    @Test func rowChangedDuringTheReadIsNotRemembered() throws {
        let version = cache.index.version()
        let entry = try #require(try cache.row(key("moon").name))
        try other.remove(key("moon"))
        cache.remember(entry, as: "moon", version: version)

        #expect(!isRecalled())
    }

    @Test func batchHitsMatchSingleLookups() throws {
        for name in ["mars", "io"] { _ = try cache.store(MemorySource(picture(2)), key: key(name)) }
        world.time.advance(.seconds(61))
        let keys = try ["moon", "pluto", "mars", "moon", "io"].map(key)

        let entries = cache.freshHits(keys, asFetch: true)

        #expect(entries.map { $0?.key } == ["moon", nil, "mars", "moon", "io"])
        // Each use is recorded in the index.
        try cache.index.flush(now: world.time.now)
        for entry in entries.compactMap(\.self) {
            #expect(try other.row(entry.name)?.lastUsed == world.time.now)
        }
        #expect(try cache.statistics()[.hits] == 2 + 4)
    }
}
