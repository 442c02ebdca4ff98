import Libc
import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Recovery of files after the index was lost.
@Suite struct RecoveryTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    @Test func fileIsFoundByItsKeyWithoutARow() throws {
        let stored = try world.cache(scope: "alice").store(MemorySource(picture(1)), key: key("moon")).entry
        world.loseIndex()
        let cache = try world.cache(scope: "alice")

        let found = try #require(try cache.lookup(key("moon")))

        #expect(found.path == stored.path && found.sha256 == stored.sha256 && found.key == "moon")
        #expect(found.width == 1 && found.contentType == "image/gif")
        #expect(world.messages.all.contains("test: recovered the entry of \(stored.path)\n"))
        #expect(try cache.lookup(key("mars")) == nil)
        #expect(try world.cache().lookup(key("moon")) == nil)
        #expect(try cache.store(MemorySource(picture(1)), key: key("moon")).status == .hit)
    }

    @Test func listingShowsRecoveredKeys() throws {
        let keys = ["https://a.example/1", "exercisedb:0001@180", "key:own"]
        for (number, text) in keys.enumerated() {
            _ = try world.cache().store(MemorySource(picture(number)), key: CacheKey(printed: text))
        }
        // A key attribute that does not match the file's name is ignored.
        let forged = try world.cache().store(MemorySource(picture(9)), key: CacheKey(name: "forged")).entry
        #expect(try File.openInput(forged.path).setAttribute(CacheRoot.keyAttribute, "key:moon"))
        world.loseIndex()
        let cache = try world.cache()
        try cache.recovery.rebuild { _ in }

        var listing = try cache.entries(EntryFilter())
        var found: [String?] = []
        while let entry = try listing.next() { found.append(entry.key) }

        #expect(found.compactMap(\.self).sorted() == keys.sorted() && found.count == 4)
        #expect(try cache.peek(CacheKey(name: "forged"))?.key == nil)
    }

    @Test func pinSurvivesALostIndexAndAReplacedPicture() throws {
        let cache = try world.cache()
        for name in ["pinned", "unpinned", "replaced", "renamed", "never"] {
            let entry = try cache.store(MemorySource(picture(1)), key: key(name)).entry
            if name != "never" { #expect(try cache.setPinned(entry, true)?.isPinned == true) }
        }
        _ = try cache.setPinned(#require(try cache.peek(key("unpinned"))), false)
        _ = try cache.store(MemorySource(picture(2)), key: key("replaced"))
        // A picture in another format has another file name.
        _ = try cache.store(MemorySource(DrawnPicture.gradient(3, 2).png()), key: key("renamed"))
        world.loseIndex()

        for (name, isPinned) in ["pinned": true, "unpinned": false, "replaced": true, "renamed": true, "never": false] {
            #expect(try world.cache().lookup(key(name))?.isPinned == isPinned, "\(name)")
        }
        world.loseIndex()
        try world.cache().recovery.rebuild { _ in }

        var filter = EntryFilter()
        filter.isPinned = true
        var listing = try world.cache().entries(filter)
        var pinned: [String] = []
        while let entry = try listing.next() { pinned.append(entry.key ?? "") }
        #expect(pinned.sorted() == ["pinned", "renamed", "replaced"])
    }

    /// The last changes may be missing from a damaged index.
    @Test func pinIsRecoveredFromTheFileOrTheDamagedIndex() throws {
        let cache = try world.cache()
        for name in ["file", "row"] { _ = try cache.store(MemorySource(picture(1)), key: key(name)) }
        let entry = try #require(try cache.peek(key("file")))
        _ = try cache.setPinned(entry, true)
        try cache.index.perform {
            try $0.database.execute("UPDATE entries SET pinned = key = 'row'")
        }
        try cache.index.setAside()

        #expect(try cache.lookup(key("file"))?.isPinned == true)
        #expect(try cache.lookup(key("row"))?.isPinned == true)
    }

    @Test func matchingRowsOfADamagedIndexAreRecovered() throws {
        let cache = try world.cache(scope: "alice")
        for number in 0..<50 {
            let url = "https://a.example/\(number)"
            let entry = try cache.store(MemorySource(picture(number)), key: key(url), url: url).entry
            if number % 2 == 0 { _ = try cache.setPinned(entry, true) }
        }
        // The row of one entry has a wrong digest.
        try cache.index.perform {
            try $0.database.execute("UPDATE entries SET sha256 = 'x' WHERE key = 'https://a.example/4'")
        }
        let before = try #require(try cache.lookup(key("https://a.example/2")))
        try cache.index.setAside()
        world.time.advance(.seconds(3600))

        let found = try #require(try cache.lookup(key("https://a.example/2")))
        #expect(found.isPinned && found.url == before.url && found.expiresAt == before.expiresAt)
        try world.cache().recovery.rebuild { _ in }

        var filter = EntryFilter()
        filter.isPinned = true
        var listing = try cache.entries(filter)
        var pinned = 0
        while try listing.next() != nil { pinned += 1 }
        #expect(pinned == 25)
        // The file itself stores its pin.
        #expect(try cache.peek(key("https://a.example/4"))?.isPinned == true)
        #expect(try cache.statistics().entries == 50)
    }

    @Test func rebuiltScopeGetsItsNameOnTheNextUse() throws {
        _ = try world.cache(scope: "alice").store(MemorySource(picture(1)), key: key("moon"))
        world.loseIndex()
        try world.cache().recovery.rebuild { _ in }
        let alice = try ScopeName("alice")
        #expect(try world.cache().scopes.all().map(\.name.text) == [alice.hash, "default"])

        let cache = try world.cache(scope: "alice")
        _ = try cache.store(MemorySource(picture(2)), key: key("mars"))

        #expect(try cache.scopes.all().map(\.name.text) == ["alice", "default"])
        #expect(try cache.statistics(scope: alice).scopes.first?.entries == 2)
    }

    /// If this write-ahead log stayed, SQLite would read the damaged index with the log of another database.
    @Test func logOfAnOlderDamagedIndexIsRemoved() throws {
        let cache = try world.cache()
        try cache.index.requireWriting()
        let log = "\(world.root)/index.sqlite.damaged-wal"
        try File.open(log, O_WRONLY | O_CREAT).write([1, 2, 3])
        unlink("\(world.root)/index.sqlite-wal")

        try cache.index.setAside()

        // Reading the damaged index may leave an empty log.
        #expect(try access(log, F_OK) != 0 || Surroundings.contents(log).isEmpty)
        #expect(access("\(world.root)/index.sqlite.damaged", F_OK) == 0)
    }

    @Test func concurrentLookupsAllFindTheFile() throws {
        for round in 0..<20 {
            _ = try world.cache().store(MemorySource(picture(round, bytes: 50_000)), key: key("\(round)"))
        }
        world.loseIndex()
        let results = try together(8) { [world] _ in
            let cache = try world.cache()
            for round in 0..<20 { #expect(try cache.lookup(key("\(round)")) != nil) }
        }
        for result in results { try result.get() }
    }

    @Test func incompletePictureIsNotRecovered() throws {
        let stored = try world.cache().store(MemorySource(picture(1)), key: key("moon")).entry
        world.loseIndex()
        truncate(stored.path, 20)

        #expect(try world.cache().lookup(key("moon")) == nil)
    }

    @Test func filesAreRecoveredOnlyAfterALostIndex() throws {
        let cache = try world.cache()
        let entry = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        // The state after a trim was killed between its commit and its unlinks. The entry must not return.
        try cache.index.perform { try $0.database.execute("DELETE FROM entries") }

        #expect(try cache.lookup(key("moon")) == nil)
        #expect(access(entry.path, F_OK) == 0)
    }

    @Test func cleanRecoversFilesBeforeItRemovesOrphans() throws {
        let stored = try world.cache().store(MemorySource(picture(1)), key: key("moon")).entry
        world.loseIndex()
        let cache = try world.cache()

        var kinds: [CleanStep.Kind: Int] = [:]
        try cache.maintenance.clean { kinds[$0.kind] = $0.count }

        #expect(kinds[.rebuild] == 1 && kinds[.orphans] == 0)
        #expect(access(stored.path, F_OK) == 0)
        #expect(try !cache.index.mayLackRows())
        #expect(try cache.lookup(key("moon"))?.key == "moon")
    }

    @Test func variantsAreRecreatedAndTheirOldFilesStayForALease() throws {
        let before = try world.cache()
        _ = try before.store(MemorySource(picture(1)), key: key("moon"))
        func made(_ cache: CacheStore) throws -> MadeFile {
            try cache.variant(of: key("moon"), options: "small") { _, sink in
                try sink.write(png)
                return FileFacts(contentType: "image/png", fileExtension: "png")
            }
        }
        let variant = try made(before)
        world.loseIndex()
        let cache = try world.cache()
        try cache.recovery.rebuild { _ in }

        try cache.maintenance.clean { _ in }
        #expect(access(variant.path, F_OK) == 0)
        #expect(try made(cache).isNew)
        world.time.advance(.seconds(800))
        try cache.maintenance.clean { _ in }

        #expect(try !made(cache).isNew)
        #expect(world.files("scopes").count == 2)
    }

    /// Without a row, only a folder records the generation of an empty scope. A process that has read the generation
    /// must be able to store its entry when the recovery has ended.
    @Test(arguments: ["clean", "repair", "rebuild", "use", "restart"], [true, false])
    func recoveryKeepsTheGenerationOfAnEmptyScope(_ way: String, _ hasInnerFolder: Bool) throws {
        let before = try world.cache(scope: "alice")
        _ = try before.scopes.purge(ScopeName("alice"))
        let stored = try before.store(MemorySource(picture(1)), key: key("moon")).entry
        let inner = stored.path.dropLast(stored.file.utf8.count + 1)
        #expect(try before.remove(key("moon")))
        if !hasInnerFolder { rmdir(String(inner)) }
        if way == "restart" {
            try before.index.write(now: world.time.now) { try $0.database.execute("DELETE FROM scopes") }
            try world.restart(before)
        } else {
            world.loseIndex()
        }
        let cache = try world.cache(scope: "alice")
        try cache.withstanding {
            let flight = try EntryFlight(cache, EntryFlight.Subject(key("mars")))
            try flight.begin()
            try MemorySource(picture(2)).copy(to: flight) {}

            let other = try world.cache()
            switch way {
            case "clean": try other.maintenance.clean { _ in }
            case "repair":
                let verification = Verification(
                    settings: other.settings, jobs: 1, repairs: true, clock: world.time.clock,
                    interruption: world.interruption, inspect: CacheStore.wholePicture)
                _ = try verification.run { _ in }
            case "use": try other.recovery.continueRebuild(for: .seconds(60))
            default: try other.recovery.rebuild { _ in }
            }
            #expect(try !other.index.mayLackRows())

            _ = try flight.commit(CacheStore.wholePicture(flight.body.reopened()))
        }
        #expect(try cache.lookup(key("mars")) != nil)
        #expect(try cache.scopes.all().map(\.name.text).sorted() == ["alice", "default"])

        // The entry belongs to the latest generation, so the next loss of the index does not purge it.
        world.loseIndex()
        #expect(try world.cache(scope: "alice").lookup(key("mars")) != nil)
    }

    /// A process that still has the lost index open must not end the recovery of the new index.
    @Test func processWithALostIndexDoesNotPreventItsRecovery() throws {
        let before = try world.cache()
        let stored = try before.store(MemorySource(picture(1)), key: key("moon")).entry
        world.loseIndex()
        let cache = try world.cache()
        #expect(try cache.index.mayLackRows())

        before.close()

        #expect(try cache.index.mayLackRows())
        #expect(try cache.lookup(key("moon"))?.path == stored.path)
    }

    /// Earlier versions recorded the loss of an index in a file.
    @Test func recoveryThatAnEarlierVersionBeganIsContinued() throws {
        let cache = try world.cache()
        let stored = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        try cache.index.perform { try $0.database.execute("DELETE FROM entries; DELETE FROM doomed") }
        try File.open(world.root + "/rebuild", O_WRONLY | O_CREAT).write([])

        #expect(try world.cache().lookup(key("moon"))?.path == stored.path)
        try world.cache().recovery.rebuild { _ in }
        #expect(try !world.cache().index.mayLackRows())
        #expect(Surroundings.entries(of: world.root).contains("rebuild") == false)
    }

    /// The run that recovered the scope does not know its name.
    @Test func commandsOnARecoveredScopeFindItsEntries() throws {
        _ = try world.cache(scope: "alice").store(MemorySource(picture(1)), key: key("moon"))
        world.loseIndex()
        let cache = try world.cache()
        try cache.recovery.rebuild { _ in }
        let alice = try ScopeName("alice")

        #expect(try cache.scopes.reset(alice, dryRun: true).contents.entries == 1)
        world.time.advance(.seconds(86_400 * 400))
        var expired = 0
        try cache.maintenance.clean(alice) { expired += $0.kind == .expired ? $0.count : 0 }

        #expect(expired == 1 && world.files("scopes").isEmpty)
    }

    /// A process of an earlier version was killed between replacing the file and updating the row.
    @Test func interruptedReplacementIsRecovered() throws {
        let cache = try world.cache()
        let entry = try cache.store(MemorySource(picture(1)), key: key("moon"), url: "https://a.example/moon").entry
        let path = try world.leaveAsBeforeLayout10(entry, in: cache)
        unlink(path)
        try File.open(path, O_WRONLY | O_CREAT).write(picture(2))

        let found = try #require(try cache.lookup(key("moon")))

        #expect(found.sha256 == (try BlobStore.sha256(of: MemorySource(picture(2)))))
        #expect(found.key == "moon" && found.url == "https://a.example/moon" && !found.needsVerification)
    }

    @Test func settingTheClockBackLosesNoEntry() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture(1)), key: key("moon"))
        world.time.advance(.seconds(-86_400 * 400))

        #expect(try cache.lookup(key("moon")) != nil)
        world.loseIndex()

        // The file's modification time is in the future, so the current time is taken as the time of the download.
        let found = try #require(try world.cache().lookup(key("moon")))
        #expect(found.fetchedAt == world.time.now)
    }
}
