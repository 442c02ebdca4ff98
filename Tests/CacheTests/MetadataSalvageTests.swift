import Libc
import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Metadata that survives damage to the index.
@Suite struct MetadataSalvageTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    private let days = "apod/science"

    private func kept(_ numbers: Range<Int>) -> [Metadata] {
        numbers.map { number in
            Metadata(
                name: "\(number)", body: (0..<1500).map { UInt8(truncatingIfNeeded: $0 &* number) },
                fetchedAt: world.time.now, expiresAt: number % 2 == 0 ? nil : world.time.now + .seconds(number))
        }
    }

    private func all(_ cache: CacheStore) throws -> [Metadata] {
        try cache.metadata.items(in: days, from: "", through: "9999")
    }

    private func writeIntoIndex(at offset: Int, _ bytes: [UInt8]) throws {
        let file = try File.open(world.root + "/index.sqlite", O_WRONLY)
        lseek(file.descriptor, off_t(offset), SEEK_SET)
        try file.write(bytes)
    }

    @Test func metadataIsSalvagedWhenTheIndexIsSetAside() throws {
        let (alice, bob) = (try world.cache(scope: "alice"), try world.cache(scope: "bob"))
        _ = try bob.scopes.purge(alice.scope)
        let fresh = try world.cache(scope: "alice")
        try fresh.metadata.keep(kept(1000..<1600), in: days)
        try bob.metadata.keep(kept(2000..<2010), in: days)

        try bob.index.setAside()

        #expect(try all(world.cache(scope: "alice")) == kept(1000..<1600))
        #expect(try all(world.cache(scope: "bob")) == kept(2000..<2010))
        #expect(try world.cache(scope: "alice").scopes.all().map(\.generation) == [1, 0, 0])
        // A cache that has the old index open switches to the new index.
        try fresh.metadata.keep(kept(1600..<1601), in: days)
        #expect(try all(world.cache(scope: "alice")).count == 601)
        #expect(world.messages.all.contains("test: recovered 610 metadata records from the damaged index\n"))
    }

    /// Damage to a page loses at most three rows; the other rows are unchanged.
    @Test(arguments: 0..<12)
    func salvagedRowsAreUnchanged(_ seed: Int) throws {
        let cache = try world.cache()
        try cache.metadata.keep(kept(1000..<1400), in: days)
        try cache.index.perform { $0.database.truncateLog() }
        cache.close()
        var random = SeededRandom(seed: UInt64(seed))
        let size = try Surroundings.contents(world.root + "/index.sqlite").count
        // Damages only pages after the schema. Random bytes overwrite either the header of a page or a part of the
        // `body` of a row, where SQLite does not detect the damage.
        for _ in 0..<3 {
            let page = 30 + random.below(size / 4096 - 30)
            let noise = (0..<64).map { _ in UInt8(random.below(256)) }
            try writeIntoIndex(at: page * 4096 + (seed % 2 == 0 ? 0 : 1000), noise)
        }

        try cache.index.setAside()
        let found = try all(world.cache())

        let before = Dictionary(uniqueKeysWithValues: kept(1000..<1400).map { ($0.name, $0) })
        #expect(found.allSatisfy { before[$0.name] == $0 })
        // Each of the three damaged pages loses at most three rows: its own two rows, and one row that SQLite reaches
        // through an adjacent page.
        #expect(found.count >= 391)
    }

    @Test func purgedMetadataIsNotSalvaged() throws {
        let cache = try world.cache(scope: "alice")
        try cache.metadata.keep(kept(1000..<1010), in: days)
        _ = try world.cache().scopes.purge(cache.scope)

        try world.cache().index.setAside()

        #expect(try all(world.cache(scope: "alice")) == [])
    }

    /// Rows are salvaged once. They must not return after a purge, although the damaged index remains for a while.
    @Test func purgedMetadataIsNotSalvagedAfterASecondLossOfTheIndex() throws {
        try world.cache(scope: "alice").metadata.keep(kept(1000..<1010), in: days)
        let cache = try world.cache()
        try cache.index.setAside()
        _ = try cache.scopes.purge(ScopeName("alice"))
        try cache.scopes.finishPurges()
        world.loseIndex()

        let fresh = try world.cache(scope: "alice")
        try fresh.maintenance.clean { _ in }

        #expect(world.files("").contains("index.sqlite.damaged"))
        #expect(try all(fresh) == [])
    }

    @Test func metadataIsLostWithItsIndex() throws {
        try world.cache().metadata.keep(kept(1000..<1010), in: days)
        world.loseIndex()

        #expect(try all(world.cache()) == [])
    }
}
