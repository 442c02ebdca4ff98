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
        let old = connection
        connection = try make(old)
        connection.version = old.version.next
        // What began when there was nothing began before whatever somebody has purged since.
        if old.identity == nil { connection.firstSeenGeneration = old.firstSeenGeneration }
    }

    /// Runs `body` on the connection, alone among this process's threads; not for what reads the database.
    func withConnection<Result>(_ body: (inout Connection) -> Result) -> Result { connection.withLock(body) }

    /// What SQLite finds wrong with the index as it lies there; nil if there is none, or nothing in it. Reads all of
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
    func settleLog(over pages: Int32 = Database.restingPages) {
        connection.withLock { $0.database.settleLog(over: pages) }
    }

    /// Gives back the room that the index takes beside its file.
    func emptyLog() throws { try perform { $0.database.emptyLog() } }
}
