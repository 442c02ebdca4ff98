import Libc
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Layouts, damage, and query plans of the index.
@Suite struct IndexTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    private func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws {
        let file = try File.open(path, O_WRONLY)
        lseek(file.descriptor, off_t(offset), SEEK_SET)
        try file.write(bytes)
    }

    private func database() throws -> Database {
        try world.database()
    }

    @Test func olderLayoutIsMigratedStepByStep() throws {
        let database = try database()
        try Schema(steps: ["CREATE TABLE a (x)"]).migrate(database, root: world.root)
        try database.execute("INSERT INTO a VALUES (7)")
        let newer = Schema(steps: ["CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y", "UPDATE a SET y = x + 1"])

        try newer.migrate(database, root: world.root)
        try newer.migrate(database, root: world.root)

        #expect(try Schema.version(of: database) == 3)
        #expect(try database.first("SELECT y FROM a") { $0.int(0) } == 8)
    }

    @Test func failedMigrationKeepsTheOlderLayout() throws {
        let database = try database()
        try Schema(steps: ["CREATE TABLE a (x)"]).migrate(database, root: world.root)

        #expect(throws: CacheFailure.self) {
            try Schema(steps: ["", "CREATE TABLE b (x); NONSENSE"]).migrate(database, root: world.root)
        }

        #expect(try Schema.version(of: database) == 1)
        #expect(try database.all("SELECT name FROM sqlite_schema") { $0.string(0) } == ["a"])
    }

    @Test func newerLayoutIsRefused() throws {
        _ = try world.cache().store(MemorySource(picture()), key: key("moon"))
        try database().execute("PRAGMA user_version = 99")

        let error = #expect(throws: CacheFailure.self) { try world.cache() }

        #expect(error == .newerLayout(found: 99, supported: Schema.current.version, root: world.root))
        #expect(error?.exitCode == .configuration)
        #expect(world.files("scopes").count == 1)
    }

    @Test func rowWithoutItsFileIsAMissAndIsRemoved() throws {
        let cache = try world.cache()
        let entry = try cache.store(MemorySource(picture()), key: key("moon")).entry
        unlink(entry.path)

        #expect(try cache.lookup(key("moon")) == nil)

        #expect(try cache.statistics().entries == 0)
        #expect(try cache.statistics()[.healed] == 1)
        #expect(try cache.store(MemorySource(picture()), key: key("moon")).status == .miss)
    }

    @Test func fileOfAnotherSizeIsAMiss() throws {
        let cache = try world.cache()
        let entry = try cache.store(MemorySource(picture(1, bytes: 500)), key: key("moon")).entry
        truncate(entry.path, 100)

        #expect(try cache.lookup(key("moon")) == nil)
    }

    @Test func fileWithoutARowIsReplaced() throws {
        let entry = try world.cache().store(MemorySource(picture(1)), key: key("moon")).entry
        world.loseIndex()
        let cache = try world.cache()

        #expect(try cache.store(MemorySource(picture(2)), key: key("moon")).status == .miss)
        let stored = try #require(try cache.lookup(key("moon")))
        #expect(try Surroundings.contents(stored.path) == picture(2))
        // A process may still use the returned path.
        #expect(try Surroundings.contents(entry.path) == picture(1))
    }

    @Test func fileOfAnInterruptedRemovalIsDeletedByTheNextStore() throws {
        let cache = try world.cache()
        let entry = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        // The state after a trim was killed between its commit and its unlinks.
        try cache.index.perform { try $0.database.execute("DELETE FROM entries") }
        #expect(access(entry.path, F_OK) == 0)

        _ = try cache.store(MemorySource(picture(2)), key: key("mars"))

        #expect(access(entry.path, F_OK) != 0)
        #expect(world.files("scopes").count == 1)
    }

    @Test func newlyStoredFileIsNotRemovedWithItsPredecessor() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture(1)), key: key("moon"))
        try cache.index.perform { try $0.database.execute("DELETE FROM entries") }

        let entry = try cache.store(MemorySource(picture(2)), key: key("moon")).entry
        _ = try cache.store(MemorySource(picture(2)), key: key("mars"))

        #expect(try Surroundings.contents(entry.path) == picture(2))
    }

    /// Earlier versions stored an entry's new content under the same name, so a killed process could leave an outdated
    /// row.
    @Test(arguments: [false, true])
    func rowOfAnInterruptedReplacementIsNotTrusted(_ fileWasReplaced: Bool) throws {
        let cache = try world.cache()
        let entry = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        let path = try world.leaveAsBeforeLayout10(entry, in: cache)
        if fileWasReplaced { try overwrite(path, at: 0, with: picture(2)) }

        let found = try cache.lookup(key("moon"))

        #expect(found?.sha256 == (try BlobStore.sha256(of: MemorySource(picture(fileWasReplaced ? 2 : 1)))))
        #expect(try cache.row(entry.name)?.needsVerification == false)
    }

    @Test func indexThatIsNotADatabaseIsSetAside() throws {
        _ = try world.cache().store(MemorySource(picture()), key: key("moon"))
        try overwrite(world.root + "/index.sqlite", at: 0, with: Array(repeating: 0x41, count: 8192))
        for suffix in ["-wal", "-shm"] { unlink("\(world.root)/index.sqlite\(suffix)") }

        let cache = try world.cache()

        #expect(try cache.lookup(key("moon")) != nil)
        #expect(try cache.store(MemorySource(picture(2)), key: key("moon")).status == .miss)
        #expect(
            world.messages.warnings == [
                "test: warning: the index of the cache was damaged (file is not a database); it was renamed to "
                    + "\(world.root)/index.sqlite.damaged, and the cache continues with a new index\n"
            ])
        #expect(world.files("").contains("index.sqlite.damaged"))
        #expect(Surroundings.mode(world.root + "/index.sqlite") == 0o600)
    }

    @Test func damageFoundDuringARunIsRepaired() throws {
        let cache = try world.cache()
        let other = try world.cache()
        for number in 0..<200 { _ = try cache.store(MemorySource(picture(number)), key: key("\(number)")) }
        try cache.index.perform { try $0.database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        var status = stat()
        stat(world.root + "/index.sqlite", &status)
        // Overwrites every page except the first, which contains the schema.
        try overwrite(
            world.root + "/index.sqlite", at: 4096, with: Array(repeating: 0xAA, count: Int(status.st_size) - 4096))

        let late = try world.cache()
        #expect(try late.lookup(key("7")) != nil)

        #expect(try late.store(MemorySource(picture()), key: key("7")).status == .miss)
        #expect(try other.fetchOrStore(key("8")) == .miss)
        #expect(try late.lookup(key("8")) != nil)
    }

    /// The next process reads the whole write-ahead log when it opens the index, so the log should be short.
    @Test func closingACacheTruncatesTheWriteAheadLog() throws {
        func pages() throws -> Int { try Surroundings.contents(world.root + "/index.sqlite-wal").count / 4096 }
        let cache = try world.cache()
        for number in 0..<40 { _ = try cache.store(MemorySource(picture(number)), key: key("\(number)")) }
        #expect(try (Int(Database.idleLogPages)..<Int(Database.checkpointPages) + 64).contains(pages()))

        cache.close()

        #expect(try pages() < Database.idleLogPages)
        #expect(try world.cache().lookup(key("39")) != nil)
    }

    @Test func rootRemovedDuringARunIsCreatedAgain() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))
        Surroundings.removeTree(world.root)

        #expect(try cache.lookup(key("moon")) == nil)
        #expect(try cache.store(MemorySource(picture()), key: key("moon")).status == .miss)
        #expect(try world.cache().lookup(key("moon")) != nil)
    }

    @Test func rootThatCannotBeCreatedIsReported() throws {
        try File.open(world.folder + "/file", O_WRONLY | O_CREAT).write([1])
        var settings = CacheSettings(root: world.folder + "/file/root")
        settings.capacity = 1

        let error = #expect(throws: CacheFailure.self) {
            try CacheStore(settings: settings, interruption: Interruption(), inspect: CacheStore.wholePicture)
        }

        #expect(error?.code == "cache-root")
        #expect(error?.exitCode == .cannotCreate)
    }

    @Test func currentScopeIsTheDefault() throws {
        let cache = try world.cache()
        #expect(cache.scope == .standard)
        try cache.index.requireWriting()
        try database().execute("INSERT INTO settings VALUES ('current_scope', 'alice')")

        #expect(try world.cache().scope.text == "alice")
        #expect(try world.cache(scope: "bob").scope.text == "bob")
    }

    @Test func entryOfAnEarlierGenerationIsDiscarded() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture(1)), key: key("moon"))

        let error = #expect(throws: CacheFailure.self) {
            try cache.store(MemorySource(picture(2)), key: key("mars")) { source in
                _ = try world.cache(scope: "bob").scopes.purge(.standard)
                return try CacheStore.wholePicture(source)
            }
        }

        #expect(error == .scopeChanged(scope: "default"))
        #expect(try cache.lookup(key("mars")) == nil)
        #expect(world.files("scopes").isEmpty)
        #expect(world.files("partial").isEmpty)
    }

    @Test func sqliteCodesMapToExitStatuses() {
        func exit(_ status: Int32) -> ExitCode { CacheFailure(sqlite: status, message: "", root: "/r").exitCode }

        #expect(exit(13) == .io)  // SQLITE_FULL
        #expect(exit(10 | 3 << 8) == .io)  // SQLITE_IOERR_WRITE
        #expect(exit(11) == .io)  // SQLITE_CORRUPT
        #expect(exit(8) == .cannotCreate)  // SQLITE_READONLY
        #expect(exit(5 | 1 << 8) == .temporary)  // SQLITE_BUSY_RECOVERY
        #expect(exit(1) == .software)  // SQLITE_ERROR
    }

    /// The statements of every get, put and trim must use an index, so that their cost does not grow with the table.
    @Test(arguments: [
        EntryTable.selectByName, EntryTable.touch, EntryColumn.insertion, EntryTable.removeFamily,
        EntryTable.expireVariants, EntryTable.selectPage, EntryTable.selectInFolder, EntryTable.selectOwner,
        EntryTable.selectCandidates, EntryTable.selectFutureCandidates, TotalsTable.select,
        TotalsTable.selectRootState, CounterTable.add,
    ])
    func statementDoesNotScanATable(_ sql: String) throws {
        let cache = try world.cache()

        let plan = try cache.index.perform { connection in
            try connection.database.all("EXPLAIN QUERY PLAN " + sql) { $0.string(3) }
        }

        for step in plan {
            // Trimming may scan this index, because the scan stops at a limit.
            #expect(!step.contains("SCAN") || step == "SCAN entries USING INDEX entries_by_use", "\(step)")
            #expect(!step.contains("TEMP B-TREE"), "\(step)")
        }
    }
}

extension CacheStore {
    fileprivate func fetchOrStore(_ key: CacheKey) throws -> CacheStatus {
        try store(MemorySource(picture(9)), key: key).status
    }
}
