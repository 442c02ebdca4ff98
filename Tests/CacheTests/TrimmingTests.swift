import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

@Suite struct TrimmingTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    private func kept(in cache: CacheStore) throws -> Set<String> {
        Set(try cache.allEntries().map { $0.key ?? "" })
    }

    @Test func leastRecentlyUsedEntryIsRemovedFirst() throws {
        let cache = try world.cache(capacity: 4000)
        try world.store(["a", "b", "c", "d"], in: cache)
        world.time.advance(.seconds(700))
        _ = try cache.lookup(key("a"))

        try world.store(["e"], in: cache)

        // 5000 bytes are trimmed to at most 3800, which is 95 % of the capacity.
        #expect(try kept(in: cache) == ["a", "d", "e"])
        #expect(try cache.statistics().bytes == 3000)
        #expect(try cache.statistics()[.evictions] == 2)
        #expect(world.files("scopes").count == 3)
    }

    @Test func pathStaysUntilItsLeaseEnds() throws {
        let cache = try world.cache(capacity: 2000)
        try world.store(["a", "b", "c", "d"], in: cache)

        #expect(try kept(in: cache).count == 4)
        #expect(try cache.statistics().excess == 2000)
        #expect(world.messages.warnings.isEmpty)
        cache.close()
        #expect(
            world.messages.warnings == [
                "test: warning: this run stored 4.0 kB, more than the capacity of 2.0 kB, so some pictures "
                    + "will be removed; use --capacity 1MB or more\n"
            ])
        world.time.advance(.seconds(700))
        let next = try world.cache(capacity: 2000)
        _ = try next.lookup(key("d"))
        next.close()
        #expect(try kept(in: cache) == ["d"])
    }

    /// Leases may end while a trim waits for the write lock, so the trim must not use the time at which its wait began.
    @Test func leasesAreCheckedWhenTheTrimGetsTheWriteLock() throws {
        let cache = try world.cache(capacity: 2000)
        try world.store(["a", "b", "c"], in: cache)
        let begun = world.time.now
        world.time.advance(.seconds(700))

        try cache.trimmer.trimToCapacity(now: begun)

        #expect(try kept(in: cache) == ["c"])
    }

    @Test func leaseIsRenewedWhenThePathIsReturned() throws {
        let cache = try world.cache(capacity: 1000)
        try world.store(["a"], in: cache)
        for _ in 0..<5 {
            world.time.advance(.seconds(300))
            let entry = try #require(try cache.lookup(key("a")))
            try cache.index.flush(now: world.time.now)
            let written = try #require(try cache.row(entry.name))
            #expect(written.leaseUntil >= world.time.now + .seconds(600))
        }
    }

    @Test func lookupThatTakesNoLeaseChangesNothing() throws {
        let cache = try world.cache()
        try world.store(["a"], in: cache)
        let before = try cache.row(key("a").name)
        world.time.advance(.seconds(5000))

        _ = try cache.lookup(key("a"), handingOut: false)

        #expect(try cache.row(key("a").name) == before)
    }

    @Test func repeatedHitsWriteNothing() throws {
        let cache = try world.cache()
        try world.store(["a"], in: cache)
        _ = try cache.lookup(key("a"))
        let before = try cache.row(key("a").name)

        world.time.advance(.seconds(30))
        _ = try cache.lookup(key("a"))

        #expect(try cache.row(key("a").name) == before)
    }

    @Test func pinnedEntryStays() throws {
        let cache = try world.cache(capacity: 2000, lease: .zero)
        try world.store(["a"], in: cache)
        try cache.index.perform { try $0.database.execute("UPDATE entries SET pinned = 1") }

        try world.store(["b", "c", "d"], in: cache)

        #expect(try kept(in: cache).contains("a"))
        #expect(try cache.statistics().bytes <= 2000)
    }

    @Test func leaseFromBeforeTheClockWasSetBackIsIgnored() throws {
        let cache = try world.cache(capacity: 2000)
        world.time.advance(.seconds(100 * 86_400))
        try world.store(["a", "b"], in: cache)
        world.time.advance(.seconds(-90 * 86_400))

        try world.store(["c", "d"], in: cache)

        #expect(try kept(in: cache).isSubset(of: ["c", "d"]))
    }

    @Test(arguments: [Duration.seconds(120), .seconds(5 * 3600), .seconds(90 * 86_400)])
    func entriesFromTheFutureAreTrimmedFirst(setBack: Duration) throws {
        let cache = try world.cache(capacity: 4000)
        world.time.advance(setBack)
        try world.store(["a", "b"], in: cache)
        world.time.advance(.zero - setBack)
        try world.store(["c", "d"], in: cache)

        try world.store(["e"], in: cache)

        #expect(try kept(in: cache) == ["c", "d", "e"])
    }

    /// The lease in `leases/` is valid, because the path was returned after the clock was set back.
    @Test func leasedEntryFromTheFutureStays() throws {
        let cache = try world.cache(capacity: 2900)
        world.time.advance(.seconds(86_400))
        try world.store(["a", "b"], in: cache)
        world.time.advance(.seconds(-86_400))
        _ = try world.cache().lookup(key("a"))

        try world.store(["c"], in: cache)

        #expect(try kept(in: cache) == ["a", "c"])
    }

    @Test func renewedLeaseIsAsLongAsANewLease() throws {
        let cache = try world.cache()
        world.time.advance(.seconds(86_400))
        try world.store(["a"], in: cache)
        world.time.advance(.seconds(-86_400))
        let old = try #require(try cache.peek(key("a")))
        #expect(old.leaseEnd(at: world.time.now) == world.time.now)

        let stored = try cache.store(MemorySource(picture("a".hashValue, bytes: 1000)), key: key("a")).entry

        #expect(stored.leaseUntil <= world.time.now + .seconds(600 + 60))
    }

    @Test func capacityAppliesToTheWholeRoot() throws {
        let one = try world.cache(scope: "one", capacity: 3000, lease: .zero)
        let two = try world.cache(scope: "two", capacity: 3000, lease: .zero)
        try world.store(["a", "b"], in: one)

        try world.store(["c", "d"], in: two)

        #expect(try kept(in: one).isEmpty)
        #expect(try kept(in: two) == ["c", "d"])
        #expect(try two.statistics().scopes.map(\.bytes) == [0, 2000])
        #expect(try two.statistics().scopes[0].counters[.evictions] == 2)
    }

    @Test func trimOfManyEntriesFreesATenthOfTheCapacity() throws {
        let cache = try world.cache(lease: .zero)
        try world.store((0..<200).map(String.init), in: cache)

        try world.store(["last"], in: try world.cache(capacity: 10_000, lease: .zero))

        #expect(try cache.statistics().bytes == 9000)
    }

    /// Regression test: each of four workers printed hundreds of warnings, whose sizes were soon outdated.
    @Test func manyRunsOnOneRootWarnOnceAnHour() throws {
        for run in 0..<3 {
            let cache = try world.cache(capacity: 2000)
            try world.store(["a\(run)", "b\(run)", "c\(run)"], in: cache)
            cache.close()
            cache.close()
        }
        #expect(world.messages.warnings.count == 1)
        world.time.advance(.seconds(3600))
        let later = try world.cache(capacity: 2000)
        try world.store(["d", "e", "f"], in: later)
        later.close()
        #expect(world.messages.warnings.count == 2)
        // A warning with a time in the future does not suppress the next warning.
        world.time.advance(.seconds(-86_400))
        let earlier = try world.cache(capacity: 2000)
        try world.store(["g", "h", "i"], in: earlier)
        earlier.close()
        #expect(world.messages.warnings.count == 3)
    }

    @Test func failedTrimIsOnlyLogged() throws {
        let cache = try world.cache(capacity: 1500)
        try world.store(["a"], in: cache)
        let fault = try world.refuse("DELETE ON entries")
        world.time.advance(.seconds(5000))
        try world.store(["b"], in: cache)
        #expect(try kept(in: cache) == ["a", "b"])
        #expect(world.messages.all.contains("test: cannot trim the cache: \(fault)\n"), "\(world.messages.all)")
    }

    @Test func runWarnsEvenIfTheTimeOfTheLastWarningIsUnknown() throws {
        let cache = try world.cache(capacity: 1500)
        try world.store(["a", "b"], in: cache)
        let fault = try world.refuse("INSERT ON settings")
        cache.close()
        let words = "test: cannot read the time of the last warning about the capacity: \(fault)\n"
        #expect(world.messages.all.contains(words), "\(world.messages.all)")
        #expect(world.messages.warnings.count == 1)
    }

    @Test func failedMaintenanceIsOnlyLogged() throws {
        let cache = try world.cache()
        try world.store(["a"], in: cache)
        let fault = try world.refuse("INSERT ON counters")
        _ = try cache.lookup(key("a"))
        cache.close()
        #expect(world.messages.all.contains("test: cannot maintain the cache: \(fault)\n"), "\(world.messages.all)")
    }

    @Test func runWithinTheCapacityPrintsNoWarning() throws {
        let cache = try world.cache(capacity: 4000, lease: .zero)
        try world.store(["a", "b", "c", "d"], in: cache)
        cache.close()
        let next = try world.cache(capacity: 4000, lease: .zero)
        try world.store(["e", "f"], in: next)
        next.close()
        #expect(try kept(in: next).count == 4)
        #expect(world.messages.warnings.isEmpty)
    }

    @Test(arguments: [
        (CacheDemand(stored: 100, kept: 0), nil),
        (CacheDemand(stored: 101, kept: 0), CacheDemand.Excess.stored(101)),
        (CacheDemand(stored: 50, kept: 150), .kept(150)),
        (CacheDemand(stored: 120, kept: 150), .kept(150)),
        (CacheDemand(stored: 150, kept: 150), .stored(150)),
    ])
    func largerOfTwoDemandsIsReported(_ demand: CacheDemand, _ excess: CacheDemand.Excess?) {
        #expect(demand.excess(over: 100) == excess)
    }

    @Test(arguments: [
        (1, "1MB"), (999_999, "2MB"), (18_000_000, "20MB"), (71_000_000, "79MB"), (109_000_000, "120MB"),
        (2_000_000_000, "2200MB"), (123_456_789_012, "140000MB"),
    ])
    func suggestedCapacityExceedsTheDemand(_ bytes: Int, _ text: String) throws {
        #expect(CacheDemand.Excess.enough(for: bytes) == text)
        #expect(try #require(ByteCount.parse(text)) > bytes)
    }

    @Test func warningAboutFilesInUseStatesTheSize() {
        #expect(
            CacheDemand.Excess.kept(71_000_000).message(capacity: 20_000_000, isInMemory: false)
                == "the cache grew to 71.0 MB, more than its capacity of 20.0 MB, because files were in use; use "
                + "--capacity 79MB or more")
    }
}
