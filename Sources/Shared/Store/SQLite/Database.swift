import CSQLite
import CSystem
import Libc
import Support

/// A connection to an SQLite file, with its prepared statements. Not thread-safe.
final class Database {
    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]
    private let root: String

    /// The maximum length, in pages, of the write-ahead log at the end of a run. The process that next opens the index
    /// reads the whole log, at about 5 µs per page, so the log must be short. A checkpoint costs two disk syncs, so it
    /// must be rare. Recording the use of an entry writes three to five pages.
    static let idleLogPages: Int32 = 64
    /// The length, in pages, at which a commit runs a checkpoint, which delays all threads. If a killed process leaves
    /// a log of this length, the next process needs a few milliseconds to read it.
    static let checkpointPages: Int32 = 512

    /// The number of pages in the log after the last commit.
    private var logPages: Int32 = 0

    enum Access: String {
        /// Reads and writes. A write-protected file is opened read-only.
        case writing
        /// Reads without changing or creating any file, including the log and the shared memory.
        case reading = "mode=ro&readonly_shm=1"
        /// Reads without locks and without the log, for folders in which no file can be created.
        case immutable = "immutable=1"
    }

    /// Opens the file at `path`, which must exist, without reading it. Refuses a path with symbolic links.
    ///
    /// Statements never wait for a lock of another process; they throw `CacheFailure.busy`, see `waitingWhileBusy`.
    init(path: String, root: String, access: Access = .writing) throws {
        self.root = root
        _ = Self.omitsStatistics
        var opened: OpaquePointer?
        let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW
        let status =
            access == .writing
            ? path.withPathPointer { sqlite3_open_v2($0, &opened, common | SQLITE_OPEN_READWRITE, nil) }
            : sqlite3_open_v2(
                "file:\(PercentEncoding.encoded(file: path.pathBytes))?\(access.rawValue)", &opened,
                common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
        guard let opened else { throw CacheFailure.io(detail: "cannot open the index", root: root, errno: ENOMEM) }
        guard status == SQLITE_OK else {
            let failure = CacheFailure(sqlite: status, of: opened, root: root)
            sqlite3_close_v2(opened)
            throw failure
        }
        handle = opened
        // Restrict the schema, because the file may come from an attacker.
        csqlite_distrust(handle)
        // Unretained, because only statements of this object call the hook.
        sqlite3_wal_hook(handle, Self.hasCommitted, Unmanaged.passUnretained(self).toOpaque())
        // Keep the log on close, so that closing is cheap. The log is short, and the next connection continues it.
        _ = csqlite_keep_log_on_close(handle)
        // The sandbox does not permit temporary files, which SQLite uses for statement journals and sorting.
        try execute("PRAGMA temp_store = MEMORY")
    }

    /// The statistics took 6 % of the instructions of a hit.
    private static let omitsStatistics = csqlite_omit_memory_statistics() == SQLITE_OK

    private static let hasCommitted:
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
            database, _, _, pages in
            let database = Unmanaged<Database>.fromOpaque(database!).takeUnretainedValue()
            database.logPages = pages
            database.checkpointLog(over: checkpointPages)
            return SQLITE_OK
        }

    /// If the write-ahead log has at least `limit` pages, copies it into the database and truncates it.
    ///
    /// Replaces SQLite's `wal_autocheckpoint`, which copies the log but does not truncate it: processes that write once
    /// and exit would each find a longer log and copy all of it again. Does not wait for readers in other processes:
    /// the next commit tries again.
    func checkpointLog(over limit: Int32 = Database.idleLogPages) {
        guard logPages >= limit else { return }
        if sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK { logPages = 0 }
    }

    /// Truncates a write-ahead log of any length, to free disk space, unless other readers or writers block the
    /// checkpoint.
    func truncateLog() { _ = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") != 0 }

    /// A number that changes when another connection commits, but not when this connection does
    /// (sqlite.org/pragma.html#pragma_data_version). Costs about 2 µs.
    func dataVersion() throws -> Int { try first("PRAGMA data_version") { $0.int(0) } ?? 0 }

    /// Returns the process that holds the write lock of the index at this path, if the system reports it. The lock is
    /// on byte 120 of the `-shm` file (sqlite.org/walformat.html §2.3). Uses the descriptor that SQLite has open in
    /// this process, because opening and closing the file here would release SQLite's own locks.
    static func writer(of path: String) -> Int? {
        guard let shared = try? FileStatus(at: path + "-shm") else { return nil }
        for descriptor in Int32(3)..<1024 {
            guard let status = try? FileStatus(of: descriptor, path: path), status.identity == shared.identity else {
                continue
            }
            let process = csystem_byte_signer(descriptor, 120)
            return process > 0 ? Int(process) : nil
        }
        return nil
    }

    func execute(_ sql: String) throws {
        let status = sqlite3_exec(handle, sql, nil, nil, nil)
        if status != SQLITE_OK { throw failure(status) }
    }

    /// Runs a statement and returns the number of changed rows.
    @discardableResult
    func run(_ sql: String, _ values: Value...) throws -> Int { try run(sql, values) }

    @discardableResult
    func run(_ sql: String, _ values: [Value]) throws -> Int {
        let statement = try prepared(sql, values)
        defer { statement.reset() }
        while try statement.step() {}
        return Int(sqlite3_changes(handle))
    }

    /// Deletes a row that was read in the same transaction. Throws `CacheFailure.indexDamaged` if there is no such row:
    /// a damaged index may return a row to a scan, but not to a lookup.
    func delete(_ sql: String, _ values: Value...) throws {
        if try run(sql, values) == 0 {
            throw CacheFailure.indexDamaged(detail: "a row cannot be found", root: root)
        }
    }

    /// Returns the result of `read` for the first row, if any.
    func first<Result>(_ sql: String, _ values: Value..., read: (Row) throws -> Result) throws -> Result? {
        try first(sql, values, read: read)
    }

    func first<Result>(_ sql: String, _ values: [Value], read: (Row) throws -> Result) throws -> Result? {
        let statement = try prepared(sql, values)
        defer { statement.reset() }
        return try statement.step() ? read(statement.row) : nil
    }

    func has(_ sql: String, _ values: Value...) throws -> Bool { try first(sql, values) { _ in true } ?? false }

    /// Returns the results of `read` for all rows.
    func all<Result>(_ sql: String, _ values: Value..., read: (Row) throws -> Result) throws -> [Result] {
        try all(sql, values, read: read)
    }

    func all<Result>(_ sql: String, _ values: [Value], read: (Row) throws -> Result) throws -> [Result] {
        let statement = try prepared(sql, values)
        defer { statement.reset() }
        var results: [Result] = []
        while try statement.step() { results.append(try read(statement.row)) }
        return results
    }

    func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN")
        // Nothing was written, so a commit only releases the snapshot.
        defer { _ = try? run("COMMIT") }
        return try body()
    }

    /// Runs `body` in a transaction that begins by acquiring the write lock, so that no later statement fails because
    /// the index is busy. Rolls back if `body` throws.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // SQLite rolls back automatically after some errors. Another rollback then fails and changes nothing.
            _ = try? run("ROLLBACK")
            throw error
        }
    }

    private func prepared(_ sql: String, _ values: [Value]) throws -> Statement {
        let statement: Statement
        if let known = statements[sql] {
            statement = known
        } else {
            var compiled: OpaquePointer?
            let status = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
            guard status == SQLITE_OK, let compiled else { throw failure(status) }
            statement = Statement(compiled, root: root)
            statements[sql] = statement
        }
        try statement.bind(values)
        return statement
    }

    private func failure(_ status: Int32) -> CacheFailure { CacheFailure(sqlite: status, of: handle, root: root) }
}

extension CacheFailure {
    /// The failure for the result code that SQLite has just returned.
    init(sqlite status: Int32, of connection: OpaquePointer, root: String) {
        self.init(
            sqlite: status, message: String(cString: sqlite3_errmsg(connection)),
            errno: sqlite3_system_errno(connection), root: root)
    }

    /// - Parameter errno: the error number of SQLite's last failed system call.
    init(sqlite status: Int32, message: String, errno: Int32 = 0, root: String) {
        switch status & 0xFF {
        // A missing table, or an insertion that conflicts with a row that no lookup finds, means damage or a bug in
        // this program. `Index` runs SQLite's integrity check before it replaces the index.
        case SQLITE_ERROR where message.hasPrefix("no such table") || message.hasPrefix("no such column"):
            self = .indexDamaged(detail: message, root: root)
        case SQLITE_CONSTRAINT, SQLITE_MISMATCH: self = .indexDamaged(detail: message, root: root)
        case SQLITE_FULL: self = .diskFull(root: root)
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .indexDamaged(detail: message, root: root)
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: self = .readOnly(root: root)
        case SQLITE_BUSY, SQLITE_LOCKED: self = .busy(root: root)
        case SQLITE_NOMEM: self = .io(detail: message, root: root, errno: ENOMEM)
        case SQLITE_IOERR, SQLITE_CANTOPEN: self = .io(detail: message, root: root, errno: errno)
        case SQLITE_PROTOCOL, SQLITE_NOLFS, SQLITE_INTERRUPT: self = .io(detail: message, root: root)
        default: self = .fault(detail: "SQLite \(status): \(message)")
        }
    }
}

/// The name and version of the database library.
public var indexLibraryVersion: String { "SQLite \(String(cString: sqlite3_libversion()))" }
