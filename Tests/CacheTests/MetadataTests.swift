import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Metadata stored by name beside the pictures.
@Suite struct MetadataTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    private let days = "apod/science"

    private func day(_ name: String, _ text: String = "x", at: Timestamp? = nil, until: Timestamp? = nil) -> Metadata {
        Metadata(name: name, body: Array(text.utf8), fetchedAt: at ?? world.time.now, expiresAt: until)
    }

    private func names(
        _ cache: CacheStore, in collection: String? = nil, from first: String = "", through last: String = "9999"
    ) throws -> [String] {
        try cache.metadata.items(in: collection ?? days, from: first, through: last).map(\.name)
    }

    private func rows(_ cache: CacheStore) throws -> Int? {
        try cache.index.perform { try $0.database.first("SELECT count(*) FROM metadata") { $0.int(0) } }
    }

    @Test func storedMetadataIsReadBackUnchanged() throws {
        let bodies: [[UInt8]] = [[], [0], Array(0...255), Array(repeating: 7, count: 100_000)]
        let kept = bodies.enumerated().map { number, body in
            Metadata(
                name: "2024-02-0\(number)", body: body, fetchedAt: world.time.now,
                expiresAt: number % 2 == 0 ? nil : world.time.now + .seconds(number))
        }

        try world.cache().metadata.keep(kept.reversed(), in: days)

        #expect(try world.cache().metadata.items(in: days, from: "2024-02-00", through: "2024-02-31") == kept)
    }

    @Test func rangeIncludesBothEnds() throws {
        let cache = try world.cache()
        try cache.metadata.keep(["2024-01-31", "2024-02-01", "2024-02-29", "2024-03-01"].map { day($0) }, in: days)
        try cache.metadata.keep([day("2024-02-10")], in: "apod/api")

        #expect(try names(cache, from: "2024-02-01", through: "2024-02-29") == ["2024-02-01", "2024-02-29"])
        #expect(try names(cache, from: "2024-02-02", through: "2024-02-28") == [])
        #expect(try names(cache, from: "2024-02-29", through: "2024-02-01") == [])
        #expect(try names(cache, in: "apod/api") == ["2024-02-10"])
    }

    @Test func newestMetadataIsTheLastNameUpToALimit() throws {
        let cache = try world.cache()
        try cache.metadata.keep(["2024-01-31", "2024-02-29"].map { day($0) }, in: days)

        #expect(try cache.metadata.newest(in: days, through: "2024-02-29")?.name == "2024-02-29")
        #expect(try cache.metadata.newest(in: days, through: "2024-02-28")?.name == "2024-01-31")
        #expect(try cache.metadata.newest(in: days, through: "2024-01-30") == nil)
        #expect(try cache.metadata.newest(in: "apod/api", through: "2024-02-29") == nil)
    }

    @Test func olderMetadataDoesNotReplaceNewer() throws {
        let cache = try world.cache()
        let now = world.time.now
        try cache.metadata.keep([day("2024-02-03", "second", at: now)], in: days)
        try cache.metadata.keep([day("2024-02-03", "first", at: now - .seconds(1), until: now)], in: days)
        #expect(try cache.metadata.items(in: days, from: "", through: "9").map(\.body) == [Array("second".utf8)])

        try cache.metadata.keep([day("2024-02-03", "third", at: now)], in: days)
        #expect(try cache.metadata.items(in: days, from: "", through: "9") == [day("2024-02-03", "third", at: now)])
    }

    @Test func metadataFromTheFutureIsReplaced() throws {
        let cache = try world.cache()
        let future = day(
            "2024-02-03", "future", at: world.time.now + .seconds(3600), until: world.time.now + .seconds(9000))
        try cache.metadata.keep([future], in: days)
        try cache.metadata.keep([day("2024-02-03", "now")], in: days)

        #expect(try cache.metadata.newest(in: days, through: "9")?.body == Array("now".utf8))
    }

    @Test func readerDecidesWhetherMetadataHasExpired() throws {
        let cache = try world.cache()
        let now = world.time.now
        try cache.metadata.keep([day("a", until: now + .seconds(10)), day("b")], in: days)
        world.time.advance(.seconds(10))

        let found = try cache.metadata.items(in: days, from: "", through: "z")

        #expect(found.map(\.expiresAt) == [now + .seconds(10), nil])
    }

    @Test func batchOfMetadataIsStoredCompletelyOrNotAtAll() throws {
        let cache = try world.cache()
        try cache.index.requireWriting()
        try cache.index.perform {
            // Inserting `c` fails with an SQL error that is not damage to the index.
            try $0.database.execute(
                """
                CREATE TRIGGER overflows BEFORE INSERT ON metadata WHEN new.name = 'c' BEGIN
                    SELECT abs(-9223372036854775807 - 1);
                END
                """)
        }

        #expect(throws: CacheFailure.fault(detail: "SQLite 1: integer overflow")) {
            try cache.metadata.keep(["a", "b", "c"].map { day($0) }, in: days)
        }

        #expect(try rows(cache) == 0)
    }

    // MARK: Scopes

    @Test func metadataIsNotSharedBetweenScopes() throws {
        let (alice, bob) = (try world.cache(scope: "alice"), try world.cache(scope: "bob"))
        try alice.metadata.keep([day("a")], in: days)
        try bob.metadata.keep([day("b")], in: days)

        #expect(try names(alice, through: "z") == ["a"] && names(bob, through: "z") == ["b"])
        #expect(try names(world.cache(), through: "z") == [])
    }

    @Test func purgeHidesAndThenRemovesMetadata() throws {
        let (alice, bob) = (try world.cache(scope: "alice"), try world.cache(scope: "bob"))
        try alice.metadata.keep((1000..<1600).map { day("\($0)") }, in: days)
        try bob.metadata.keep([day("b")], in: days)

        _ = try bob.scopes.purge(alice.scope)

        #expect(try names(alice) == [])
        #expect(try rows(bob) == 601)
        try bob.scopes.finishPurges()
        #expect(try rows(bob) == 1)
        #expect(try names(bob, through: "z") == ["b"])
    }

    @Test func cacheOpenedBeforeAPurgeCannotKeepMetadata() throws {
        let cache = try world.cache(scope: "alice")
        #expect(try names(cache) == [])
        _ = try world.cache().scopes.purge(cache.scope)

        #expect(throws: CacheFailure.scopeChanged(scope: "alice")) { try cache.metadata.keep([day("a")], in: days) }

        #expect(try rows(cache) == 0)
        try world.cache(scope: "alice").metadata.keep([day("a")], in: days)
        #expect(try names(cache, through: "z") == ["a"])
    }

    @Test(arguments: [false, true])
    func cacheOpenedBeforeASwitchCannotKeepMetadata(_ keeping: Bool) throws {
        let cache = try world.cache()
        try cache.metadata.keep([day("a")], in: days)
        _ = try world.cache().scopes.makeCurrent(ScopeName("alice"), keeping: keeping)

        #expect(throws: CacheFailure.scopeChanged(scope: "default")) { try cache.metadata.keep([day("b")], in: days) }

        #expect(try names(world.cache(), through: "z") == [])
        #expect(try names(world.cache(scope: "default"), through: "z") == (keeping ? ["a"] : []))
    }

    @Test func resetRemovesTheMetadataOfAllScopes() throws {
        let (alice, bob) = (try world.cache(scope: "alice"), try world.cache(scope: "bob"))
        try alice.metadata.keep([day("a")], in: days)
        try bob.metadata.keep([day("b")], in: days)

        #expect(try world.cache().scopes.reset(dryRun: true).metadata == 2)
        #expect(try world.cache().scopes.reset().metadata == 2)

        #expect(try rows(alice) == 0)
        #expect(throws: CacheFailure.scopeChanged(scope: "alice")) { try alice.metadata.keep([day("a")], in: days) }
    }

    @Test func statisticsCountMetadataPerScopeSeparatelyFromEntries() throws {
        let (alice, bob) = (try world.cache(scope: "alice"), try world.cache(scope: "bob"))
        try alice.metadata.keep([day("a", "12345"), day("b", "1234567")], in: days)
        try bob.metadata.keep([day("b", "123")], in: "apod/api")
        _ = try world.cache(scope: "carol").metadata.keep([day("c")], in: days)
        _ = try bob.scopes.purge(ScopeName("carol"))

        let statistics = try bob.statistics()

        #expect(statistics.entries == 0 && statistics.bytes == 0)
        #expect(statistics.metadata == EntrySum(entries: 3, bytes: 15))
        #expect(statistics.scopes.map(\.metadata) == [(2, 12), (1, 3), (0, 0)].map(EntrySum.init))
    }

    @Test func reusedScopeIDInheritsNoMetadata() throws {
        let alice = try world.cache(scope: "alice")
        try alice.metadata.keep([day("a")], in: days)
        // Deletes only the scopes, like a purge by an earlier version, which does not know the metadata table.
        try alice.index.perform { try $0.database.execute("DELETE FROM scopes") }

        let bob = try world.cache(scope: "bob")
        try bob.metadata.keep([day("b")], in: days)

        #expect(try names(bob, through: "z") == ["b"])
    }

    // MARK: Failures

    @Test func removedRootIsCreatedAgainByNewMetadata() throws {
        let cache = try world.cache()
        try cache.metadata.keep([day("a")], in: days)
        Surroundings.removeTree(world.root)

        #expect(try names(cache, through: "z") == [])
        try cache.metadata.keep([day("b")], in: days)

        #expect(try names(world.cache(), through: "z") == ["b"])
    }

    @Test func storingMetadataDoesNotChangeTheIndexVersion() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))
        let version = cache.index.version()
        try cache.metadata.keep([day("a")], in: days)
        #expect(version != nil && cache.index.version() == version)
    }

    @Test func concurrentThreadsStoreAndReadTheSameDays() throws {
        let results = try together(8) { [world, days] worker in
            let cache = try world.cache()
            for start in stride(from: 1000, to: 1400, by: 25) {
                let window = (start..<start + 25).map {
                    Metadata(name: "\($0)", body: Array("\($0) \(worker)".utf8), fetchedAt: world.time.now)
                }
                try cache.metadata.keep(window, in: days)
                let found = try cache.metadata.items(in: days, from: "\(start)", through: "\(start + 24)")
                #expect(found.map(\.name) == window.map(\.name))
            }
        }
        for result in results { try result.get() }
        #expect(try names(world.cache()) == (1000..<1400).map(String.init))
    }
}
