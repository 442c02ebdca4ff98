import Libc
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Damage to the index, and faults that are not damage: SQL mistakes and a busy database.
@Suite struct IndexFaultTests {
    private let world: Surroundings

    init() throws {
        world = try Surroundings()
        _ = try world.cache().store(MemorySource(picture()), key: key("moon"))
    }

    private var indexes: [String] {
        Surroundings.entries(of: world.root).filter { $0.hasPrefix("index") && !$0.contains("-") }.sorted()
    }

    @Test(arguments: [
        "SELECT nonsense FROM entries", "SELECT * FROM nonsense",
        "INSERT INTO scopes (id, name, folder) VALUES (1, 'a', 'b'), (1, 'a', 'b')", "NONSENSE",
        "INSERT INTO totals VALUES ('no number', 0, 0)",
    ])
    func statementErrorDoesNotReplaceTheIndex(_ sql: String) throws {
        let cache = try world.cache()
        let entry = try #require(try cache.lookup(key("moon")))
        _ = try cache.index.write(now: world.time.now) { try $0.entries.setPinned(entry, true) }

        let error = #expect(throws: CacheFailure.self) {
            try cache.index.perform { try $0.database.execute(sql) }
        }

        #expect(error?.exitCode == .software)
        #expect(indexes == ["index.sqlite"])
        #expect(world.messages.warnings.isEmpty)
        #expect(try world.cache().lookup(key("moon"))?.isPinned == true)
    }

    @Test func indexIsKeptIfSQLitesCheckFindsNoDamage() throws {
        let cache = try world.cache()

        let error = #expect(throws: CacheFailure.self) {
            try cache.index.perform { _ in throw CacheFailure.indexDamaged(detail: "it seems so", root: world.root) }
        }

        let detail = "\(world.root)/index.sqlite is intact, but cannot be used: it seems so; nothing was changed"
        #expect(error == .fault(detail: detail))
        #expect(world.messages.all == ["test: the index of the cache cannot be read: it seems so\n"])
        #expect(indexes == ["index.sqlite"])
    }

    @Test func damagedIndexThatCannotBeRenamedIsAnError() throws {
        for suffix in ["-wal", "-shm"] { unlink("\(world.root)/index.sqlite\(suffix)") }
        try File.open("\(world.root)/index.sqlite", O_WRONLY | O_TRUNC).write(Array(repeating: 0x41, count: 8192))
        let root = CacheRoot(world.root) { $0.contains("damaged") ? EIO : nil }

        #expect(throws: CacheFailure.io(detail: "cannot rename it", root: world.root, errno: EIO)) {
            try Index(root: root, log: .silent, interruption: world.interruption).requireWriting()
        }
    }

    @Test(arguments: [10 | 3 << 8, 13, 14, 7])
    func diskErrorIsNotReportedAsDamage(_ status: Int32) {
        let failure = CacheFailure(sqlite: status, message: "", root: "/r")

        // Status 7, SQLITE_NOMEM, is transient.
        #expect(failure.exitCode == (status == 7 ? .temporary : .io))
        if case .indexDamaged = failure { Issue.record("SQLite status \(status) is treated as damage") }
    }

    // MARK: Busy

    /// Holds the write lock, as another process would.
    private func holdingLock<Result>(_ body: () throws -> Result) throws -> Result {
        let database = try world.database()
        try database.execute("BEGIN IMMEDIATE")
        defer { try? database.execute("ROLLBACK") }
        return try body()
    }

    @Test func writerWaitsForOtherWriters() throws {
        let cache = try world.cache()
        let database = try world.database()
        try database.execute("BEGIN IMMEDIATE")
        let removal = try Background { try cache.remove(key("moon")) }
        // A writer that waits in the same process does not delay a lookup.
        #expect(try cache.lookup(key("moon"), handingOut: false) != nil)
        try database.execute("ROLLBACK")

        #expect(try removal.result())
    }

    @Test func cancellationEndsTheWaitForABusyIndex() throws {
        let cache = try world.cache()
        try holdingLock {
            let interruption = world.interruption
            let stop = try Background { interruption.cancel(.outputClosed) }
            #expect(throws: Cancelled.self) { try cache.remove(key("moon")) }
            try stop.result()
        }
    }

    @Test func waitForABusyIndexIsLimited() throws {
        var attempts = 0

        #expect(throws: CacheFailure.busy(root: "/r")) {
            try waitingWhileBusy(Interruption(), patience: .milliseconds(20)) {
                attempts += 1
                throw CacheFailure.busy(root: "/r")
            }
        }
        #expect(attempts > 1)
    }

    // MARK: Creation

    /// A new index is created under another name and then renamed. If the process opened and closed the index file
    /// itself, it would release SQLite's POSIX locks on the file.
    @Test func newIndexIsRenamedIntoPlace() throws {
        Surroundings.removeTree(world.root)
        let cache = try world.cache()
        try cache.index.requireWriting()

        #expect(try Schema.version(of: Database.index(of: cache.index.root).database) == Schema.current.version)
        #expect(Surroundings.mode(world.root + "/index.sqlite") == 0o600)
        #expect(indexes == ["index.sqlite"])
        #expect(try cache.index.perform { try $0.database.first("PRAGMA journal_mode") { $0.string(0) } } == "wal")
    }

    @Test func unfinishedIndexIsNotUsed() throws {
        Surroundings.removeTree(world.root)
        mkdir(world.root, 0o700)
        mkdir(world.root + "/locks", 0o700)
        for name in ["index.sqlite.new", "index.sqlite.new-wal", "index.sqlite-wal"] {
            try File.open("\(world.root)/\(name)", O_WRONLY | O_CREAT).write([1, 2, 3])
        }

        #expect(try world.cache().store(MemorySource(picture()), key: key("mars")).status == .miss)
        #expect(indexes == ["index.sqlite"])
    }
}

/// A function that runs on a new thread.
private final class Background<Result: Sendable>: Sendable {
    private let thread: Thread
    private let outcome: Monitor<Swift.Result<Result, any Error>?>

    init(_ body: @escaping @Sendable () throws -> Result) throws {
        let outcome = Monitor<Swift.Result<Result, any Error>?>(nil)
        self.outcome = outcome
        thread = try Thread.start {
            let result = Swift.Result { try body() }
            outcome.update { $0 = result }
        }
    }

    func result() throws -> Result {
        thread.join()
        return try outcome.withLock { try $0!.get() }
    }
}
