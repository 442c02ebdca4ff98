import Libc
import Support
import Testing

@testable import Store

/// Returned paths stay valid for the promised time, even if the index cannot be written.
@Suite struct LeaseTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    /// Runs `body` while another connection holds a write transaction on the index.
    private func whileIndexIsLocked(_ body: () throws -> Void) throws {
        let writer = try world.database()
        try writer.transaction(body)
    }

    private func isThere(_ entry: Entry?) throws -> Bool { try File.exists(try #require(entry).path) }

    @Test(arguments: [1, 500, 60_000, 600_000, 86_400_000]) func leaseEndsNoEarlierThanPromised(milliseconds: Int) {
        let lease = Lease(term: .milliseconds(milliseconds))
        for offset in stride(from: 0, to: 200_000, by: 777) {
            let now = Timestamp(milliseconds: 1_700_000_000_000 + Int64(offset))
            let end = lease.end(from: now)
            #expect(end >= now + lease.term && end < now + lease.term + lease.step)
        }
    }

    @Test func leasePeriodIsParsedFromItsFileName() throws {
        let period = LeasePeriod(of: Lease(term: .seconds(600)), from: world.time.now)
        let name = String(period.file.dropFirst("leases/".count))
        #expect(LeasePeriod(fileName: name) == period)
        for name in ["", "1", "a-b", "1-2-3", "1--2", "-1"] { #expect(LeasePeriod(fileName: name) == nil, "\(name)") }
    }

    @Test func leasePeriodIsOverAfterTheClockIsSetBack() {
        let period = LeasePeriod(of: Lease(term: .seconds(600)), from: world.time.now)
        #expect(period.isLive(at: world.time.now))
        #expect(period.isLive(at: world.time.now + .seconds(-60)))
        #expect(!period.isLive(at: world.time.now + .seconds(-180)))
        #expect(!period.isLive(at: world.time.now + .seconds(-90 * 86_400)))
        #expect(!period.isLive(at: period.end))
    }

    @Test func trimmingKeepsAPathReturnedWhileTheIndexWasLocked() throws {
        let cache = try world.cache()
        try world.store(["a", "b"], in: cache)
        world.time.advance(.seconds(5000))
        let reader = try world.cache()
        var found: Entry?

        try whileIndexIsLocked { found = try reader.lookup(key("a")) }
        // The reader is never closed, like a killed process, so it writes nothing to the index.
        try world.store(["c"], in: try world.cache(capacity: 1000))

        #expect(try isThere(found))
        #expect(Set(try cache.allEntries().map(\.key)) == ["a", "c"])
        world.time.advance(.seconds(700))
        _ = try world.cache(capacity: 500).trimmer.trimToCapacity(now: world.time.now)
        #expect(try !isThere(found))
    }

    @Test func cleaningKeepsAnExpiredPathReturnedWhileTheIndexWasLocked() throws {
        let cache = try world.cache()
        try world.store(["a"], in: cache)
        world.time.advance(.seconds(100 * 86_400))
        var found: Entry?
        try whileIndexIsLocked { found = try world.cache().lookup(key("a")) }

        try cache.maintenance.clean { _ in }
        #expect(try isThere(found))

        world.time.advance(.seconds(700))
        try cache.maintenance.clean { _ in }
        #expect(try !isThere(found))
        #expect(world.files("leases") == [])
    }

    /// The row is deleted after the path was returned. The file must stay until the lease ends.
    @Test func fileWithoutRowStaysWhileItIsLeased() throws {
        let cache = try world.cache()
        try world.store(["a"], in: cache)
        world.time.advance(.seconds(5000))
        let found = try #require(try cache.lookup(key("a")))
        try world.database().execute("DELETE FROM entries")

        try cache.index.sweep(now: world.time.now)
        try cache.maintenance.clean { _ in }
        #expect(try isThere(found))

        world.time.advance(.seconds(700))
        try cache.index.sweep(now: world.time.now)
        #expect(try !isThere(found))
    }

    @Test func entryRemovedBeforeItsLeaseIsRecordedIsAbsent() throws {
        let cache = try world.cache()
        try world.store(["a"], in: cache)
        world.time.advance(.seconds(5000))
        let found = try #require(try cache.row(key("a").name))
        let version = cache.index.version()
        try world.database().execute("DELETE FROM entries")

        #expect(try cache.extendLease(of: found, version: version) == nil)
    }

    @Test func removalByKeyIgnoresLeases() throws {
        let cache = try world.cache()
        try world.store(["a", "b"], in: cache)
        world.time.advance(.seconds(5000))
        let found = try cache.lookup(key("a"))
        let other = try cache.lookup(key("b"))

        try cache.remove(key("a"))

        #expect(try !isThere(found))
        #expect(try isThere(other))
    }

    /// If the lease files cannot be read, any entry may be leased.
    @Test func nothingIsTrimmedIfLeasesCannotBeRead() throws {
        let cache = try world.cache()
        try world.store(["a", "b"], in: cache)
        world.time.advance(.seconds(5000))
        _ = try cache.lookup(key("b"))
        let name = try #require(world.files("leases").last)
        unlink("\(world.root)/leases/\(name)")
        mkdir("\(world.root)/leases/\(name)", 0o700)

        try world.store(["c"], in: try world.cache(capacity: 1000))

        #expect(try cache.allEntries().count == 3)
    }

    @Test func leasesUseAtMostOneFilePerMinute() throws {
        let cache = try world.cache { $0.recentEntries = 0 }
        try world.store(["a"], in: cache)
        for _ in 0..<100 {
            world.time.advance(.seconds(61))
            _ = try cache.lookup(key("a"))
        }
        #expect((1...12).contains(world.files("leases").count))
    }

    @Test func hitsAreServedWhileTheIndexIsLocked() throws {
        let cache = try world.cache { $0.recentEntries = 0 }
        try world.store(["a"], in: cache)
        world.time.advance(.seconds(5000))
        let reader = try world.cache()
        try whileIndexIsLocked {
            for _ in 0..<3 {
                #expect(try reader.lookup(key("a")) != nil)
                let hit = reader.freshHit(try key("a"), asFetch: true)
                #expect(hit != nil)
                reader.close()
            }
        }
        reader.close()
        #expect(try cache.statistics()[.hits] == 6)
        #expect(try cache.row(key("a").name)?.lastUsed == world.time.now)
    }

    @Test func runWaitsOnlyOnceForAStuckProcess() {
        var waits = BusyWaits()
        #expect(waits.allowed(bookkeepingTimeout) == bookkeepingTimeout)
        waits.note(vain: bookkeepingTimeout)
        #expect(waits.allowed(bookkeepingTimeout) == .zero)
        #expect(waits.allowed(busyTimeout) == busyTimeout)
        waits.note(vain: busyTimeout)
        #expect(waits.allowed(busyTimeout) == .zero)
        waits.noteWritten()
        #expect(waits.allowed(busyTimeout) == busyTimeout)
        waits.ceiling = bookkeepingTimeout
        #expect(waits.allowed(busyTimeout) == bookkeepingTimeout)
    }

    @Test func stallIsTheTimeWithoutProgress() throws {
        let work = LockedWork(.download, limit: .seconds(5))
        var stall = Stall()
        var progress = LockedWork.Progress(holder: 4711, bytes: 10)
        for _ in 0..<5 { try stall.observe(progress, after: .seconds(1), work: work) }
        progress.bytes = 11
        for _ in 0..<5 { try stall.observe(progress, after: .seconds(1), work: work) }
        let failure = #expect(throws: CacheFailure.self) {
            try stall.observe(progress, after: .seconds(1), work: work)
        }
        #expect(failure?.message.hasPrefix("process 4711 is downloading it and has made no progress since ") == true)
        #expect(failure?.exitCode == .temporary)
    }
}
