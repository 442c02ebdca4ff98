import Libc
import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// The entries and files that `clean` removes or keeps.
@Suite struct CleanTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    private func clean(_ cache: CacheStore, dryRun: Bool = false) throws -> [CleanStep.Kind: CleanStep] {
        var steps: [CleanStep.Kind: CleanStep] = [:]
        try cache.maintenance.clean(dryRun: dryRun) { steps[$0.kind] = $0 }
        return steps
    }

    private func put(_ cache: CacheStore, _ name: String, bytes: Int = 100) throws -> Entry {
        try cache.store(MemorySource(picture(name.utf8.reduce(0) { $0 + Int($1) }, bytes: bytes)), key: key(name)).entry
    }

    private func write(_ name: String, _ bytes: [UInt8] = [1, 2, 3]) throws {
        try CacheRoot(world.root).openToWrite(name, O_WRONLY).write(bytes)
    }

    @Test func expiredEntriesAreRemovedInAllScopes() throws {
        let cache = try world.cache { $0.ttl = .seconds(3600) }
        let other = try world.cache(scope: "alice") { $0.ttl = .seconds(3600) }
        let old = [try put(cache, "moon"), try put(other, "mars")]
        world.time.advance(.seconds(1800))
        let young = try put(cache, "sun")
        world.time.advance(.seconds(1801))

        let step = try #require(try clean(cache)[.expired])

        #expect(step.count == 2 && step.bytes == 200)
        #expect(old.allSatisfy { access($0.path, F_OK) != 0 })
        #expect(access(young.path, F_OK) == 0)
        #expect(try cache.statistics().entries == 1)
    }

    @Test func pinsAndLeasesKeepExpiredEntries() throws {
        let cache = try world.cache(lease: .seconds(7200)) { $0.ttl = .seconds(3600) }
        let pinned = try #require(try cache.setPinned(put(cache, "moon"), true))
        world.time.advance(.seconds(3000))
        _ = try put(cache, "mars")
        world.time.advance(.seconds(5000))

        #expect(try #require(try clean(cache)[.expired]).count == 0)
        world.time.advance(.seconds(7200))

        #expect(try #require(try clean(cache)[.expired]).count == 1)
        #expect(access(pinned.path, F_OK) == 0)
        #expect(try cache.peek(key("moon"))?.isPinned == true)
    }

    @Test func replacedFilesAreRemovedAfterTheirLease() throws {
        let cache = try world.cache()
        let old = try cache.store(MemorySource(picture()), key: key("moon")).entry
        _ = try cache.store(MemorySource(png), key: key("moon"))
        #expect(try #require(try clean(cache)[.expired]).count == 0)
        #expect(access(old.path, F_OK) == 0)

        world.time.advance(.seconds(700))

        #expect(try #require(try clean(cache)[.expired]).count == 1)
        #expect(access(old.path, F_OK) != 0)
        #expect(try cache.lookup(key("moon")) != nil)
    }

    @Test func leastRecentlyUsedEntriesAreRemovedAboveTheCapacity() throws {
        let large = try world.cache(lease: .zero)
        for number in 0..<10 {
            _ = try put(large, "\(number)", bytes: 1000)
            world.time.advance(.seconds(1))
        }
        let small = try world.cache(capacity: 5000, lease: .zero)

        let planned = try #require(try clean(small, dryRun: true)[.capacity])
        #expect(try small.statistics().entries == 10)
        let done = try #require(try clean(small)[.capacity])

        #expect(planned.count == done.count && planned.bytes == done.bytes && done.count == 6)
        #expect(try small.lookup(key("0")) == nil && small.lookup(key("9")) != nil)
    }

    @Test func partialFilesAreRemovedUnlessTheirLockIsHeld() throws {
        let cache = try world.cache()
        let root = cache.index.root
        let dead = CacheRoot.partial(try key("moon").name, in: cache.scope, generation: 0)
        let alive = CacheRoot.partial(try key("mars").name, in: cache.scope, generation: 0)
        for name in [dead, dead + ".note", alive, alive + ".note"] { try write(name) }
        try write(CacheRoot.partials + "/notes-of-a-stranger")
        let lock = try cache.lock(key("mars").name)

        #expect(try #require(try clean(cache, dryRun: true)[.partials]).count == 2)
        #expect(try #require(try clean(cache)[.partials]).bytes == 6)

        #expect(try root.status(of: dead) == nil)
        #expect(try root.status(of: dead + ".note") == nil)
        #expect(try root.status(of: alive) != nil)
        #expect(try root.status(of: alive + ".note") != nil)
        #expect(try root.status(of: CacheRoot.partials + "/notes-of-a-stranger") != nil)
        withExtendedLifetime(lock) {}
    }

    @Test func lockFilesOfEarlierVersionsAreRemoved() throws {
        let cache = try world.cache()
        try write(CacheRoot.lock(try key("moon").name, in: cache.scope))
        let held = try cache.lock(key("mars").name)

        #expect(try #require(try clean(cache, dryRun: true)[.locks]).count == 1)
        #expect(try #require(try clean(cache)[.locks]).count == 1)

        withExtendedLifetime(held) {
            #expect(world.files("locks") == ["all"])
        }
    }

    @Test func filesWithoutARowAreRemoved() throws {
        let cache = try world.cache()
        let kept = try put(cache, "moon")
        let root = cache.index.root
        let name = try key("mars").name
        let folder = try cache.folder()
        let orphans = [
            CacheRoot.blob("\(name).gif", folder: folder), CacheRoot.blob("\(name)-v.png", folder: folder),
            CacheRoot.blob("\(name).gif", folder: String(repeating: "ab", count: 16)),
        ].compactMap(\.self)
        for name in orphans { try write(name) }
        try write("scopes/\(folder)/RE/README.txt")

        #expect(try #require(try clean(cache, dryRun: true)[.orphans]).count == 3)
        let steps = try clean(cache)

        #expect(try #require(steps[.orphans]).count == 3)
        #expect(try #require(steps[.folders]).count >= 2)
        #expect(try orphans.allSatisfy { try root.status(of: $0) == nil })
        #expect(access(kept.path, F_OK) == 0)
        #expect(world.files("scopes").contains { $0.hasSuffix("README.txt") })
    }

    @Test func filesWhoseRowsWereDeletedAreRemoved() throws {
        let cache = try world.cache()
        let entry = try put(cache, "moon")
        try cache.index.perform { try $0.database.execute("DELETE FROM entries") }

        #expect(try #require(try clean(cache, dryRun: true)[.files]).count == 1)
        #expect(access(entry.path, F_OK) == 0)
        #expect(try #require(try clean(cache)[.files]).bytes == 100)
        #expect(access(entry.path, F_OK) != 0)
    }

    @Test func metadataIsRemovedAMonthAfterItsExpiry() throws {
        let (cache, other) = (try world.cache(), try world.cache(scope: "alice"))
        let now = world.time.now
        func metadata(_ names: Range<Int>, until: Timestamp?) -> [Metadata] {
            names.map { Metadata(name: "\($0)", body: [1, 2, 3], fetchedAt: now, expiresAt: until) }
        }
        try cache.metadata.keep(metadata(0..<400, until: now + .seconds(100)), in: "days")
        try cache.metadata.keep(metadata(400..<500, until: now + .seconds(102)), in: "days")
        try cache.metadata.keep(metadata(500..<600, until: nil), in: "days")
        try other.metadata.keep(metadata(0..<300, until: now), in: "days")
        world.time.advance(.seconds(30 * 86_400 + 101))

        let planned = try #require(try clean(cache, dryRun: true)[.metadata])
        #expect(try cache.statistics().metadata.entries == 900)
        let done = try #require(try clean(cache)[.metadata])

        #expect(planned.count == 700 && planned.bytes == 2100)
        #expect(done.count == 700 && done.bytes == 2100)
        #expect(
            try cache.metadata.items(in: "days", from: "", through: "999").map(\.name) == (400..<600).map(String.init))
        #expect(try #require(try clean(cache)[.metadata]).count == 0)
    }

    @Test func damagedIndexesAreRemovedAfterALease() throws {
        let cache = try world.cache()
        try cache.index.requireWriting()
        for suffix in ["", "-wal"] { try write("index.sqlite.damaged" + suffix) }
        // The files are newer than the test's clock, so they are kept.
        #expect(try #require(try clean(cache)[.damaged]).count == 0)

        world.time.advance(Timestamp.now() - world.time.now + .seconds(601))

        #expect(try #require(try clean(cache)[.damaged]).count == 2)
        #expect(!world.files("").contains { $0.contains("damaged") })
    }

    @Test func dryRunChangesNothing() throws {
        let cache = try world.cache { $0.ttl = .seconds(1) }
        _ = try put(cache, "moon")
        world.time.advance(.seconds(3600))
        let before = world.files("")

        let steps = try clean(cache, dryRun: true)

        #expect(try #require(steps[.expired]).count == 1)
        #expect(world.files("") == before)
        #expect(try cache.statistics().entries == 1)
    }

    /// A store moves its file into place and inserts the row in a single transaction. `clean` must not remove the
    /// file before the row exists.
    @Test func concurrentCleaningRemovesNoStoredFile() throws {
        let results = try together(6) { [world] worker in
            let cache = try world.cache()
            for round in 0..<25 {
                if worker < 2 {
                    try cache.maintenance.clean { _ in }
                } else {
                    let entry = try cache.store(
                        MemorySource(picture(worker * 100 + round)), key: key("\(worker) \(round)")
                    ).entry
                    #expect(access(entry.path, F_OK) == 0)
                }
            }
        }
        for result in results { try result.get() }
        let cache = try world.cache()
        #expect(try cache.statistics().entries == 100)
        #expect(world.files("scopes").count == 100)
        try cache.maintenance.clean { _ in }
        #expect(world.files("partial").isEmpty && world.files("locks") == ["all"])
    }
}
