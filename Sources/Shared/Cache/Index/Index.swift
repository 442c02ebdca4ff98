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
        /// The file that `database` has open; nil for an empty database that stands in for a missing root.
        var identity: File.Identity?
        /// Counts to be written with the next transaction.
        var tally = Tally()
        /// Whether anything was written.
        var hasWritten = false
        var version = Version()
        /// Whether nothing can be written.
        var isReadOnly: Bool { identity == nil || database.isReadOnly }
        /// See `Index.firstSeenGeneration()`.
        var firstSeenGeneration: Int64?
    }

    /// Opens the index of `root`. Without a `scope`, the one last switched to is used. The cost does not grow with the
    /// number of entries.
    ///
    /// Makes nothing: a missing root counts as an empty one until something is written.
    init(
        root: CacheRoot, scope: ScopeName?, followedRoot: CacheRoot? = nil, log: Log, interruption: Interruption
    ) throws {
        var connection = try Self.open(root, making: false, log: log, interruption: interruption)
        do {
            self.scope = try scope ?? Self.currentScope(connection.database) ?? .standard
        } catch CacheFailure.indexDamaged(let detail, _) {
            connection = try Self.replacement(
                for: connection, root: root, detail: detail, log: log, interruption: interruption)
            self.scope = .standard
        }
        followsCurrent = scope == nil
        self.followedRoot = followedRoot
        self.root = root
        self.log = log
        self.interruption = interruption
        self.connection = Monitor(connection)
    }

    /// Whether the root can only be read, as one that is missing.
    var isReadOnly: Bool { connection.withLock { $0.isReadOnly } }

    /// Runs `body` on the connection, alone among this process's threads; once more on an empty index where this one
    /// turns out damaged, and again as long as others keep it busy, who are waited for with no lock held.
    func perform<Result>(_ body: (inout Connection) throws -> Result) throws -> Result {
        try perform(making: false, body)
    }

    /// Makes root and index where they are missing.
    func make() throws { try perform(making: true) { _ in } }

    private func perform<Result>(making: Bool, _ body: (inout Connection) throws -> Result) throws -> Result {
        try waitingWhileBusy(interruption) {
            try connection.withLock { connection in
                if connection.identity == nil { try leaveEmpty(&connection, making: making) }
                do {
                    return try body(&connection)
                } catch CacheFailure.indexDamaged(let detail, _) {
                    log.detail("the index of the cache cannot be read: \(detail)")
                    try replace(&connection) {
                        try Self.replacement(for: $0, root: root, detail: detail, log: log, interruption: interruption)
                    }
                    return try body(&connection)
                }
            }
        }
    }

    /// Goes on with the index that somebody has made by now, or that is made now, in place of an empty one.
    private func leaveEmpty(_ connection: inout Connection, making: Bool) throws {
        if !making, root.indexIdentity() == nil { return }
        try replace(&connection) {
            try Self.open(root, making: making, log: log, interruption: interruption, tally: $0.tally)
        }
    }

    /// Runs `body` in a transaction, and writes what has been counted so far with it.
    ///
    /// - Parameter isQuiet: whether `body` changes no more of an entry than when it was used, see `version`.
    func write<Result>(
        now: Timestamp, isQuiet: Bool = false, _ body: (inout Connection) throws -> Result
    ) throws -> Result {
        try perform(making: true) { connection in
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
                try Self.open(root, making: false, log: log, interruption: interruption, tally: $0.tally)
            }
        }
    }

    /// Begins a new index in place of one that was examined and found damaged.
    func setAside() throws {
        try connection.withLock { connection in
            try replace(&connection) {
                try Self.replacement(for: $0, root: root, detail: nil, log: log, interruption: interruption)
            }
        }
    }

    /// Puts another connection in the place of one: what was read through that one counts no more.
    private func replace(_ connection: inout Connection, by make: (Connection) throws -> Connection) rethrows {
        let (version, wasEmpty, seen) = (connection.version.next, connection.identity == nil, connection.firstSeenGeneration)
        connection = try make(connection)
        connection.version = version
        // What began when there was nothing began before whatever somebody has purged since.
        if wasEmpty { connection.firstSeenGeneration = seen }
    }

    /// Runs `body` on the connection, alone among this process's threads; not for what reads the database.
    func withConnection<Result>(_ body: (inout Connection) -> Result) -> Result { connection.withLock(body) }

    /// What SQLite finds wrong with the index as it lies there; nil where there is none, or nothing in it. Reads all of
    /// it, and changes nothing. Throws `CacheFailure`: `indexDamaged` where it is no database at all, `newerLayout`.
    static func complaints(_ root: CacheRoot) throws -> [String]? {
        guard root.hasIndex else { return nil }
        let database = try openExisting(root)
        let version = try Schema.version(of: database)
        if version > Schema.current.version {
            throw CacheFailure.newerLayout(found: version, supported: Schema.current.version, root: root.path)
        }
        return try database.all("PRAGMA integrity_check(10)") { $0.string(0) }.filter { $0 != "ok" }
    }

    /// The file that is open.
    var identity: File.Identity? { connection.withLock { $0.identity } }

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
    func settleLog() { connection.withLock { $0.database.settleLog() } }

    /// Gives back the room that the index takes beside its file.
    func emptyLog() throws { try perform { $0.database.emptyLog() } }

    // MARK: Opening

    private static func open(
        _ root: CacheRoot, making: Bool, log: Log, interruption: Interruption, tally: Tally = Tally()
    ) throws -> Connection {
        root.refresh()
        return try waitingWhileBusy(interruption) {
            if let connection = try usable(root, making: making, tally: tally) { return connection }
            try makeRoot(root)
            let lock = try KeyLock(root: root, CacheRoot.setupLock, removesFile: false, interruption: interruption)
            defer { withExtendedLifetime(lock) {} }
            do {
                return try setUp(root, tally: tally)
            } catch CacheFailure.indexDamaged(let detail, _) {
                return try setUpAnew(root, tally: tally, detail: detail, log: log)
            }
        }
    }

    /// The index that is there, if it can be used as it is; an empty one where there is none and none is to be made.
    /// Nil where something is to be done first.
    private static func usable(_ root: CacheRoot, making: Bool, tally: Tally) throws -> Connection? {
        guard root.hasIndex else {
            try root.checkIndex()
            guard try !making && root.isAbsent() else { return nil }
            let database = try Database.inMemory(root: root.path)
            try Schema.current.begin(database)
            return Connection(root: root, database: database, identity: nil, tally: tally)
        }
        let identity = root.indexIdentity()
        do {
            let (database, origin) = try openAny(root)
            let version = try Schema.version(of: database)
            if version > Schema.current.version {
                throw CacheFailure.newerLayout(found: version, supported: Schema.current.version, root: root.path)
            }
            if origin == .empty { try root.requireCache() }
            let isReady = version == Schema.current.version && (origin == .ours || database.isReadOnly)
            return isReady ? Connection(root: root, database: database, identity: identity, tally: tally) : nil
        } catch CacheFailure.indexDamaged {
            // Looked at once more where nobody else changes it; but a file of another program must not go.
            try root.requireCache()
            return nil
        }
    }

    /// The database as it is, ready for use; for reading only where nothing can be written. Throws
    /// `CacheFailure.notACache` for another program's.
    static func openExisting(_ root: CacheRoot) throws -> Database { try openAny(root).0 }

    private static func openAny(_ root: CacheRoot) throws -> (Database, Schema.Origin) {
        try root.checkIndex()
        func checked(_ database: Database) throws -> (Database, Schema.Origin) {
            let origin = try Schema.origin(of: database)
            if origin == .foreign { throw CacheFailure.notACache(root: root.path) }
            return (database, origin)
        }
        do {
            let database = try Database(path: root.index, root: root.path)
            // Enough for a cache: a crash of the machine may lose the last transactions, never the database. It
            // spares a wait for the disk at each commit.
            try database.execute("PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON")
            return try checked(database)
        } catch CacheFailure.io where access(root.path, W_OK) != 0 {
            // Neither the log nor the memory shared with others can be made here: all there is to read is the
            // database proper.
            return try checked(Database(path: root.index, root: root.path, immutable: true))
        }
    }

    /// Makes an index of the current layout, or brings one to it. To be called under the set-up lock.
    private static func setUp(_ root: CacheRoot, tally: Tally) throws -> Connection {
        if !root.hasIndex { try begin(root) }
        let identity = root.indexIdentity()
        let (database, origin) = try openAny(root)
        if origin == .empty {
            // An earlier version was killed before it had come to the first table.
            try root.noteLostIndex()
            try database.execute("PRAGMA journal_mode = WAL")
        }
        try Schema.current.migrate(database, root: root.path)
        return Connection(root: root, database: database, identity: identity, tally: tally)
    }

    /// Puts a new index in place. It is made under another name and moved when it is whole: nobody ever opens half an
    /// index; and nobody has this one open while the descriptor is closed by which it is waited for, which would let go
    /// of all locks that SQLite has on it in this process (POSIX; sqlite.org/howtocorrupt.html §2.2).
    private static func begin(_ root: CacheRoot) throws {
        try root.requireCache()
        try root.noteLostIndex()
        let new = CacheRoot.index + ".new"
        // What a killed process has left, and the log of an index that is gone: it must never be taken for this one's.
        for name in [new] + CacheRoot.companions.flatMap({ [new + $0, CacheRoot.index + $0] }) { root.remove(name) }
        try withExtendedLifetime(root.openToWrite(new, O_RDWR | O_EXCL)) { file in
            try withExtendedLifetime(Database(path: root.path(of: new), root: root.path)) {
                try Schema.current.begin($0)
            }
            try file.synchronize()
        }
        for companion in CacheRoot.companions { root.remove(new + companion) }
        try root.rename(new, to: CacheRoot.index)
    }

    /// Begins a new index in place of a damaged one, and takes over what has no files by which it could be known again.
    /// To be called under the set-up lock.
    ///
    /// - Parameter detail: what speaks for damage, which SQLite is asked to confirm; nil if it has.
    private static func setUpAnew(_ root: CacheRoot, tally: Tally, detail: String?, log: Log) throws -> Connection {
        if let detail { try requireDamage(root, detail: detail) }
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

    /// Throws `CacheFailure.fault` if SQLite finds nothing wrong with the index: the mistake is then ours, and must not
    /// cost anybody what is in it.
    private static func requireDamage(_ root: CacheRoot, detail: String) throws {
        do {
            guard try complaints(root)?.isEmpty == true else { return }
        } catch CacheFailure.indexDamaged {
            return
        }
        throw CacheFailure.fault(
            detail: "\(root.index) is whole, but cannot be used: \(detail); nothing was changed")
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
        for connection: Connection, root: CacheRoot, detail: String?, log: Log, interruption: Interruption
    ) throws -> Connection {
        // Later tools may have brought it to their layout under a running tool: theirs is not damaged.
        if let found = try? Schema.version(of: connection.database), found > Schema.current.version {
            throw CacheFailure.newerLayout(found: found, supported: Schema.current.version, root: root.path)
        }
        try makeRoot(root)
        do {
            let lock = try KeyLock(root: root, CacheRoot.setupLock, removesFile: false, interruption: interruption)
            defer { withExtendedLifetime(lock) {} }
            if root.indexIdentity() == connection.identity {
                return try setUpAnew(root, tally: connection.tally, detail: detail, log: log)
            }
        }
        return try open(root, making: true, log: log, interruption: interruption, tally: connection.tally)
    }

    /// Renames the index and what belongs to it, in place of an older one that was set aside. The log goes first: an
    /// empty index must never find it.
    private static func setAside(_ root: CacheRoot, detail: String?, log: Log) throws {
        let damaged = CacheRoot.index + ".damaged"
        for suffix in ["-wal", "-shm", ""] {
            do {
                try root.rename(CacheRoot.index + suffix, to: damaged + suffix)
            } catch let failure as SystemFailure {
                guard failure.isMissing else {
                    throw CacheFailure.indexDamaged(detail: systemMessage(failure.errno), root: root.path)
                }
                // An older one's log belongs to no other database.
                root.remove(damaged + suffix)
            }
        }
        log.warning(
            "the index of the cache was damaged\(detail.map { " (\($0))" } ?? ""); it is kept as"
                + " \(root.index).damaged, and a new one has been begun")
    }
}
