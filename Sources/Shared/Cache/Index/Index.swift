#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Support

/// What is in the cache, as seen from one scope: a database that any number of threads and processes use at once.
///
/// One connection serves all threads of a process, one after the other: a statement takes some microseconds, and
/// nothing that waits for a network happens meanwhile. Files are put in place and removed within transactions; as
/// SQLite lets one write at a time, no process ever removes what another has just stored. A row goes before its file,
/// and comes after it.
///
/// An index that turns out damaged is set aside and begun anew; files are taken in again as they are asked for, or all
/// by `img-cache verify --repair`.
final class Index: Sendable {
    let root: CacheRoot
    let scope: ScopeName
    /// Whether nobody named the scope, so that it was the current one when the index was opened.
    let followsCurrent: Bool
    /// The root that says instead whether the scope is still current: that on the disk, for a cache in memory.
    let followedRoot: CacheRoot?
    private let log: Log
    private let interruption: Interruption
    private let connection: Monitor<Connection>

    struct Connection {
        let root: CacheRoot
        var database: Database
        /// The file that `database` has open.
        var identity: CacheRoot.Identity?
        /// Counts to be written with the next transaction.
        var tally = Tally()
        /// Whether anything was written.
        var hasWritten = false
        var version = Version()
        /// See `Index.firstSeenGeneration()`.
        var firstSeenGeneration: Int64?
    }

    /// Opens the index of `root`, making root and index where they are missing. Without a `scope`, the one last
    /// switched to is used. The cost does not grow with the number of entries.
    init(
        root: CacheRoot, scope: ScopeName?, followedRoot: CacheRoot? = nil, log: Log, interruption: Interruption
    ) throws {
        var connection = try Self.open(root, log: log, interruption: interruption)
        do {
            self.scope = try scope ?? Self.currentScope(connection.database) ?? .standard
        } catch CacheFailure.indexDamaged {
            connection = try Self.replacement(for: connection, root: root, log: log, interruption: interruption)
            self.scope = .standard
        }
        followsCurrent = scope == nil
        self.followedRoot = followedRoot
        self.root = root
        self.log = log
        self.interruption = interruption
        self.connection = Monitor(connection)
    }

    /// Whether the root can only be read.
    var isReadOnly: Bool { connection.withLock { $0.database.isReadOnly } }

    /// Runs `body` on the connection, alone among this process's threads; once more on an empty index where this one
    /// turns out damaged.
    func perform<Result>(_ body: (inout Connection) throws -> Result) throws -> Result {
        try connection.withLock { connection in
            do {
                return try body(&connection)
            } catch CacheFailure.indexDamaged(let detail, _) {
                log.detail("the index of the cache cannot be read: \(detail)")
                try replace(&connection) {
                    try Self.replacement(for: $0, root: root, log: log, interruption: interruption)
                }
                return try body(&connection)
            }
        }
    }

    /// Runs `body` in a transaction, and writes what has been counted so far with it.
    ///
    /// - Parameter isQuiet: whether `body` changes no more of an entry than when it was used, see `version`.
    func write<Result>(
        now: Timestamp, isQuiet: Bool = false, _ body: (inout Connection) throws -> Result
    ) throws -> Result {
        try perform { connection in
            let database = connection.database
            var before: LogHeader?
            let result = try database.transaction {
                if isQuiet { before = connection.beginQuietly() }
                let result = try body(&connection)
                try connection.writeTally(scope: scope, now: now)
                return result
            }
            if isQuiet { connection.endQuietly(since: before) }
            connection.tally = Tally()
            connection.hasWritten = true
            return result
        }
    }

    /// Opens the index anew where its file is another one by now: the root was removed under a running tool.
    func reopenIfReplaced() throws {
        try connection.withLock { connection in
            if root.indexIdentity() == connection.identity { return }
            try replace(&connection) {
                try Self.open(root, log: log, interruption: interruption, tally: $0.tally)
            }
        }
    }

    /// Begins a new index in place of one that contradicts itself.
    func setAside() throws {
        try connection.withLock { connection in
            try replace(&connection) {
                try Self.replacement(for: $0, root: root, log: log, interruption: interruption)
            }
        }
    }

    /// Puts another connection in the place of one: what was read through that one counts no more.
    private func replace(_ connection: inout Connection, by make: (Connection) throws -> Connection) rethrows {
        let version = connection.version.next
        connection = try make(connection)
        connection.version = version
    }

    /// Runs `body` on the connection, alone among this process's threads; not for what reads the database.
    func withConnection<Result>(_ body: (inout Connection) -> Result) -> Result { connection.withLock(body) }

    /// What SQLite finds wrong with the index as it lies there; nil where there is none, or nothing in it. Reads all of
    /// it, and changes nothing. Throws `CacheFailure`: `indexDamaged` where it is no database at all, `newerLayout`.
    static func complaints(_ root: CacheRoot) throws -> [String]? {
        guard FolderListing.facts(root.index).map({ $0.bytes > 0 }) == true else { return nil }
        let database = try openExisting(root)
        let version = try Schema.version(of: database)
        if version > Schema.current.version {
            throw CacheFailure.newerLayout(found: version, supported: Schema.current.version, root: root.path)
        }
        return try database.all("PRAGMA integrity_check(10)") { $0.string(0) }.filter { $0 != "ok" }
    }

    /// The file that is open.
    var identity: CacheRoot.Identity? { connection.withLock { $0.identity } }

    /// Adds to the counters; written with the next transaction.
    func count(_ change: (inout Tally) -> Void) {
        connection.withLock { change(&$0.tally) }
    }

    /// How many counted events have not been written.
    var pendingEvents: Int { connection.withLock { $0.tally.events } }

    /// Whether anything has been written since the last time that this was asked.
    func takeHasWritten() -> Bool {
        connection.withLock { connection in
            defer { connection.hasWritten = false }
            return connection.hasWritten
        }
    }

    /// Leaves a short log to whoever opens the index next.
    func settleLog(over pages: Int32 = Database.restingPages) {
        connection.withLock { $0.database.settleLog(over: pages) }
    }

    /// Gives back the room that the index takes beside its file.
    func emptyLog() throws { try perform { $0.database.emptyLog() } }

    // MARK: Opening

    private static func open(
        _ root: CacheRoot, log: Log, interruption: Interruption, tally: Tally = Tally()
    ) throws -> Connection {
        if let identity = root.indexIdentity() {
            do {
                let database = try openExisting(root)
                let version = try Schema.version(of: database)
                if version == Schema.current.version {
                    return Connection(root: root, database: database, identity: identity, tally: tally)
                }
                if version > Schema.current.version {
                    throw CacheFailure.newerLayout(
                        found: version, supported: Schema.current.version, root: root.path)
                }
            } catch CacheFailure.indexDamaged {
                // Looked at once more below, where nobody else changes it.
            }
        }
        try makeRoot(root)
        let lock = try KeyLock(root: root, path: root.setupLock, removesFile: false, interruption: interruption)
        defer { withExtendedLifetime(lock) {} }
        do {
            return try setUp(root, tally: tally)
        } catch CacheFailure.indexDamaged(let detail, _) {
            return try setUpAnew(root, tally: tally, detail: detail, log: log)
        }
    }

    /// The database as it is, ready for use; for reading only where nothing can be written.
    static func openExisting(_ root: CacheRoot) throws -> Database {
        do {
            let database = try Database(path: root.index, root: root.path)
            // Enough for a cache: a crash of the machine may lose the last transactions, never the database. It
            // spares a wait for the disk at each commit.
            try database.execute("PRAGMA synchronous = NORMAL")
            _ = try Schema.version(of: database)
            return database
        } catch CacheFailure.io where access(root.path, W_OK) != 0 {
            // Neither the log nor the memory shared with others can be made here: all there is to read is the
            // database proper.
            return try Database(path: root.index, root: root.path, immutable: true)
        }
    }

    /// Makes an index of the current layout, or brings one to it. To be called under the set-up lock.
    private static func setUp(_ root: CacheRoot, tally: Tally) throws -> Connection {
        root.removeEmptyIndex()
        try root.makeIndexFile()
        let identity = root.indexIdentity()
        let database = try openExisting(root)
        if try Schema.version(of: database) == 0 { try root.noteLostIndex() }
        try Schema.current.migrate(database, root: root.path)
        return Connection(root: root, database: database, identity: identity, tally: tally)
    }

    /// Begins a new index in place of a damaged one, and takes over what has no files by which it could be known again.
    /// To be called under the set-up lock.
    private static func setUpAnew(_ root: CacheRoot, tally: Tally, detail: String, log: Log) throws -> Connection {
        try setAside(root, detail: detail, log: log)
        let connection = try setUp(root, tally: tally)
        do {
            let count = try connection.adoptMetadata(now: Timestamp.now())
            if count > 0 { log.detail("\(count) records of metadata were taken over from the damaged index") }
        } catch {
            log.detail("no more metadata was taken over from the damaged index: \(failure(of: error).message)")
        }
        return connection
    }

    private static func makeRoot(_ root: CacheRoot) throws {
        do {
            try root.make()
        } catch let failure as SystemFailure where [EROFS, EACCES, EPERM].contains(failure.errno) {
            throw root.indexIdentity() == nil
                ? CacheFailure.cannotMakeRoot(path: root.path, errno: failure.errno)
                : CacheFailure.readOnly(root: root.path)
        }
    }

    /// A connection to an empty index in place of one to a damaged index, unless another process was faster.
    private static func replacement(
        for connection: Connection, root: CacheRoot, log: Log, interruption: Interruption
    ) throws -> Connection {
        // Later tools may have brought it to their layout under a running tool: theirs is not damaged.
        if let found = try? Schema.version(of: connection.database), found > Schema.current.version {
            throw CacheFailure.newerLayout(found: found, supported: Schema.current.version, root: root.path)
        }
        try makeRoot(root)
        do {
            let lock = try KeyLock(root: root, path: root.setupLock, removesFile: false, interruption: interruption)
            defer { withExtendedLifetime(lock) {} }
            if root.indexIdentity() == connection.identity {
                return try setUpAnew(root, tally: connection.tally, detail: "", log: log)
            }
        }
        return try open(root, log: log, interruption: interruption, tally: connection.tally)
    }

    /// Renames the index and what belongs to it, in place of an older one that was set aside. The log goes first: an
    /// empty index must never find it.
    private static func setAside(_ root: CacheRoot, detail: String, log: Log) throws {
        for suffix in ["-wal", "-shm", ""] where rename(root.index + suffix, root.index + ".damaged" + suffix) != 0 {
            if errno != ENOENT {
                throw CacheFailure.indexDamaged(detail: systemMessage(errno), root: root.path)
            }
            // An older one's log belongs to no other database.
            unlink(root.index + ".damaged" + suffix)
        }
        log.warning(
            "the index of the cache was damaged\(detail.isEmpty ? "" : " (\(detail))"); it is kept as"
                + " \(root.index).damaged, and a new one has been begun")
    }
}
