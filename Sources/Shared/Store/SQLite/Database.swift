import CSQLite
import CSystem
import Libc
import Support

/// A connection to an SQLite file, with its prepared statements. Not safe for several threads at once: its owner sees
/// to that.
final class Database {
    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]
    private let root: String

    /// Pages in the write-ahead log that a connection may leave behind. The process that opens the index while nobody
    /// else has it open reads the whole log, about 5 µs a page, so it must be short; and to copy it into the database
    /// costs two waits for the disk, so not too short. One touch of an entry writes three to five pages.
    static let restingPages: Int32 = 64
    /// Pages in the log of a connection that goes on writing, which keeps all threads waiting while it copies them.
    /// What one leaves that was killed costs the next one some milliseconds.
    static let checkpointPages: Int32 = 512

    /// Pages in the log after the last commit.
    private var logPages: Int32 = 0

    enum Access: String {
        /// Opens a file that this process may only read for reading.
        case writing
        /// Changes and creates no file, neither the database nor its companions.
        case reading = "mode=ro&readonly_shm=1"
        /// Uses no locks and no log, for folders in which no file can be created.
        case immutable = "immutable=1"
    }

    /// Opens the file at `path`, which must exist. Nothing is read yet. A path that leads through a link is refused.
    ///
    /// Nobody is waited for: what others keep busy throws `CacheFailure.busy`, see `waitingWhileBusy`.
    init(path: String, root: String, access: Access = .writing) throws {
        self.root = root
        var opened: OpaquePointer?
        let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW
        let status =
            access == .writing
            ? path.withPathPointer { sqlite3_open_v2($0, &opened, common | SQLITE_OPEN_READWRITE, nil) }
            : sqlite3_open_v2(
                "file:\(Self.escapedForURI(path))?\(access.rawValue)", &opened,
                common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
        guard let opened else { throw CacheFailure.io(detail: "cannot open it", root: root, errno: ENOMEM) }
        guard status == SQLITE_OK else {
            let failure = CacheFailure(sqlite: status, of: opened, root: root)
            sqlite3_close_v2(opened)
            throw failure
        }
        handle = opened
        // What a prepared file could do beyond being read.
        csqlite_distrust(handle)
        // Unretained: called only by statements of this object.
        sqlite3_wal_hook(handle, Self.hasCommitted, Unmanaged.passUnretained(self).toOpaque())
        // Closing must cost nothing: the log is short, and the next connection continues it.
        _ = csqlite_keep_log_on_close(handle)
        // What it takes to undo a long statement or to sort many rows: a confined process may make no files in a
        // temporary folder.
        try execute("PRAGMA temp_store = MEMORY")
    }

    private static let hasCommitted:
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
            database, _, _, pages in
            let database = Unmanaged<Database>.fromOpaque(database!).takeUnretainedValue()
            database.logPages = pages
            database.emptyLog(over: checkpointPages)
            return SQLITE_OK
        }

    /// Copies the log into the database and empties it where it is longer than it may be left behind. For a process
    /// that has no more to write for now.
    func settleLog(over limit: Int32 = Database.restingPages) { emptyLog(over: limit) }

    /// Copies the log into the database and empties it, where it has at least so many pages.
    ///
    /// SQLite's own way to do so (`wal_autocheckpoint`) only copies, and leaves it to a later writer of the same
    /// process to begin the log anew. Processes that write once and end would never do that: each would find a longer
    /// log, and copy all of it again. Nobody is waited for: where others read, the next commit tries again.
    private func emptyLog(over limit: Int32) {
        guard logPages >= limit else { return }
        if sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK { logPages = 0 }
    }

    /// The same whatever its length, to make room on a full disk; as far as others who read or write allow it now.
    func emptyLog() { _ = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Whether the file can only be read.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") != 0 }

    /// A number that is another one after each commit of any other connection, and after none of this one's
    /// (sqlite.org/pragma.html#pragma_data_version). Costs about 2 µs. Throws `CacheFailure`.
    func dataVersion() throws -> Int { try first("PRAGMA data_version") { $0.int(0) } ?? 0 }

    /// The process that has a transaction under way that writes to the index at this path; nil if there is none, or the
    /// system does not tell. It holds the lock of byte 120 of a file that this process has open, too
    /// (sqlite.org/walformat.html §2.3): to open and close that here would give up SQLite's own locks.
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

    /// An empty database that goes with this object.
    static func inMemory(root: String) throws -> Database { try Database(path: ":memory:", root: root) }

    /// Runs statements that take and give nothing.
    func execute(_ sql: String) throws {
        let status = sqlite3_exec(handle, sql, nil, nil, nil)
        if status != SQLITE_OK { throw failure(status) }
    }

    /// Runs a statement and gives how many rows it changed.
    @discardableResult
    func run(_ sql: String, _ values: Value...) throws -> Int {
        let statement = try prepared(sql, values)
        defer { statement.reset() }
        while try statement.step() {}
        return Int(sqlite3_changes(handle))
    }

    /// What `read` makes of the first row; nil if there is none.
    func first<Result>(_ sql: String, _ values: Value..., read: (Row) throws -> Result) throws -> Result? {
        let statement = try prepared(sql, values)
        defer { statement.reset() }
        return try statement.step() ? read(Row(statement: statement)) : nil
    }

    /// What `read` makes of each row.
    func all<Result>(_ sql: String, _ values: Value..., read: (Row) throws -> Result) throws -> [Result] {
        let statement = try prepared(sql, values)
        defer { statement.reset() }
        var results: [Result] = []
        while try statement.step() { results.append(try read(Row(statement: statement))) }
        return results
    }

    /// Runs `body`, whose statements all see the database as it is at one moment.
    func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN")
        // Nothing was written: to commit is to let go.
        defer { _ = try? run("COMMIT") }
        return try body()
    }

    /// Runs `body` in a transaction that holds the write lock from its beginning, so that it never has to give up half
    /// way; undone where `body` throws.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // SQLite has rolled back by itself after some errors; a second time is refused and changes nothing.
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
            statement = Statement(
                compiled,
                fail: { [root, handle] in CacheFailure(sqlite: $0, of: handle, root: root) })
            statements[sql] = statement
        }
        try statement.bind(values)
        return statement
    }

    private func failure(_ status: Int32) -> CacheFailure {
        CacheFailure(sqlite: status, of: handle, root: root)
    }

    /// A path as it must be written within a `file:` URI (RFC 3986 §3.3).
    private static func escapedForURI(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF")
        var result = ""
        for byte in path.pathBytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."), UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        return result
    }
}

extension CacheFailure {
    /// The failure for a result code that SQLite has just returned for a connection.
    init(sqlite status: Int32, of connection: OpaquePointer, root: String) {
        self.init(
            sqlite: status, message: String(cString: sqlite3_errmsg(connection)),
            errno: sqlite3_system_errno(connection), root: root)
    }

    /// - Parameter errno: the error number of SQLite's last failed system call.
    init(sqlite status: Int32, message: String, errno: Int32 = 0, root: String) {
        switch status & 0xFF {
        // A layout that lacks what its number promises, or a row that is not found by its name but collides with what
        // is inserted under it: damage, or a mistake of ours. `Index` asks SQLite which before it does anything.
        case SQLITE_ERROR where message.hasPrefix("no such table") || message.hasPrefix("no such column"):
            self = .indexDamaged(detail: message, root: root)
        case SQLITE_CONSTRAINT, SQLITE_MISMATCH: self = .indexDamaged(detail: message, root: root)
        case SQLITE_FULL: self = .diskFull(root: root)
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .indexDamaged(detail: message, root: root)
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: self = .readOnly(root: root)
        case SQLITE_BUSY, SQLITE_LOCKED: self = .busy(root: root)
        case SQLITE_NOMEM: self = .io(detail: message, root: root, errno: ENOMEM)
        case SQLITE_IOERR, SQLITE_CANTOPEN:
            self = .io(detail: message, root: root, errno: errno)
        case SQLITE_PROTOCOL, SQLITE_NOLFS, SQLITE_INTERRUPT: self = .io(detail: message, root: root)
        default: self = .fault(detail: "SQLite \(status): \(message)")
        }
    }
}

/// Name and version of the library that keeps the index.
public var indexLibraryVersion: String { "SQLite \(String(cString: sqlite3_libversion()))" }
