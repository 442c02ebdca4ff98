import Support

/// What is in the cache: a database that any number of threads and processes use at once.
///
/// One connection serves all threads of a process and all scopes, one after the other: a statement takes some
/// microseconds, and nothing that waits for a network happens meanwhile. Files are put in place and removed within
/// transactions; as SQLite lets one write at a time, no process ever removes what another has just stored. A row goes
/// before its file, and comes after it.
///
/// An index that turns out damaged is set aside and begun anew; files are taken in again as they are asked for, or all
/// by `img-cache verify --repair`.
package final class Index: Sendable {
    package let root: CacheRoot
    private let log: Log
    private let interruption: Interruption
    private let connection: Monitor<Connection>
    /// How many caches use it: the last one puts it in order.
    private let users = Monitor(0)

    struct Connection {
        let root: CacheRoot
        var database: Database
        /// The file that `database` has open; nil for an empty database that stands in for a missing root.
        var identity: File.Identity?
        /// Counts to be written with a later transaction.
        var tallies = Tallies()
        /// Uses of entries to be written with the next transaction, the earliest first.
        var uses: [Use] = []
        /// Files below the root that a command has removed, or found damaged: no lease spares them.
        var unspared: Set<String> = []
        /// When counts were last written.
        var countedAt = SteadyTime.now()
        /// Whether anything was written.
        var hasWritten = false
        /// See `Index.version()`.
        var version = Version()
        /// Whether nothing can be written.
        var isReadOnly: Bool { identity == nil || database.isReadOnly }
        /// The generation that each scope had when metadata was first asked of it, by the hash of its name.
        var firstSeenGenerations: [String: Int64] = [:]
    }

    private let waits = Monitor(BusyWaits())
    private let demand = Monitor(CacheDemand())

    /// How long counts may wait for a transaction that writes them: a run that is killed loses as much.
    private static let countInterval: Duration = .seconds(1)

    /// Opens the index of `root`. The cost does not grow with the number of entries.
    ///
    /// Makes nothing: a missing root counts as an empty one until something is written.
    package init(root: CacheRoot, log: Log, interruption: Interruption) throws {
        self.root = root
        self.log = log
        self.interruption = interruption
        connection = Monitor(try Self.open(root, making: false, log: log, interruption: interruption))
    }

    func beginUse() { users.withLock { $0 += 1 } }

    /// Returns whether nobody uses the index any more.
    func endUse() -> Bool {
        users.withLock { users in
            users -= 1
            return users == 0
        }
    }

    /// Whether the root can only be read, as one that is missing.
    package var isReadOnly: Bool { connection.withLock { $0.isReadOnly } }

    /// Runs `body` on the connection, alone among this process's threads; once more on an empty index where this one
    /// turns out damaged, and again as long as others keep it busy, who are waited for with no lock held.
    func perform<Result>(_ body: (inout Connection) throws -> Result) throws -> Result {
        try perform(making: false, body)
    }

    /// Makes root and index where they are missing.
    func make() throws { try perform(making: true) { _ in } }

    private func perform<Result>(
        making: Bool, patience: Duration = busyPatience, _ body: (inout Connection) throws -> Result
    ) throws -> Result {
        let limit = waits.withLock { $0.allowed(patience) }
        do {
            return try attempt(making: making, patience: limit, body)
        } catch CacheFailure.busy(let root, _) {
            waits.withLock { $0.note(vain: limit) }
            throw CacheFailure.busy(root: root, process: Database.writer(of: self.root.index))
        }
    }

    /// Runs `body` with short waits, for work that the next run can do as well.
    func withShortWaits(_ body: () throws -> Void) rethrows {
        waits.withLock { $0.ceiling = bookkeepingPatience }
        defer { waits.withLock { $0.ceiling = busyPatience } }
        try body()
    }

    private func attempt<Result>(
        making: Bool, patience: Duration, _ body: (inout Connection) throws -> Result
    ) throws -> Result {
        try waitingWhileBusy(interruption, patience: patience) {
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
        if !making, try root.indexIdentity() == nil { return }
        try replace(&connection) {
            try Self.open(root, making: making, log: log, interruption: interruption, tallies: $0.tallies)
        }
    }

    /// Runs `body` in a transaction, and writes with it what has been counted, if that was last done a while ago.
    ///
    /// - Parameters:
    ///   - isQuiet: whether `body` changes no more of an entry than when it was used, see `version`.
    ///   - writesCounts: whether counts are written in any case.
    ///   - patience: how long other processes' transactions are waited for.
    func write<Result>(
        now: Timestamp, isQuiet: Bool = false, writesCounts: Bool = false, patience: Duration = busyPatience,
        _ body: (inout Connection) throws -> Result
    ) throws -> Result {
        try perform(making: true, patience: patience) { connection in
            let time = SteadyTime.now()
            let counts = writesCounts || time - connection.countedAt >= Self.countInterval
            let result = try connection.database.transaction {
                try connection.writeUses(now: now)
                let result = try body(&connection)
                if counts { try connection.writeCounts(now: now) }
                return result
            }
            if !isQuiet { connection.version.number += 1 }
            if counts {
                connection.tallies = Tallies()
                connection.countedAt = time
            }
            connection.uses = []
            connection.hasWritten = true
            waits.withLock { $0.noteWritten() }
            return result
        }
    }

    /// Opens the index anew where its file is another one by now: the root was removed under a running tool.
    package func reopenIfReplaced() throws {
        try connection.withLock { connection in
            if try root.indexIdentity() == connection.identity { return }
            try replace(&connection) {
                try Self.open(root, making: false, log: log, interruption: interruption, tallies: $0.tallies)
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
        connection.version.number = old.version.number + 1
        // What began when there was nothing began before whatever somebody has purged since.
        if old.identity == nil { connection.firstSeenGenerations = old.firstSeenGenerations }
    }

    /// Runs `body` on the connection, alone among this process's threads; not for what reads the database.
    func withConnection<Result>(_ body: (inout Connection) -> Result) -> Result { connection.withLock(body) }

    /// What SQLite finds wrong with the index as it lies there; nil if there is none, or nothing in it. Reads all of
    /// it, and changes nothing. Throws `CacheFailure`: `indexDamaged` where it is no database at all, `newerLayout`.
    static func complaints(_ root: CacheRoot) throws -> [String]? {
        guard try root.hasIndex else { return nil }
        let database = try openExisting(root)
        let version = try Schema.version(of: database)
        if version > Schema.current.version {
            throw CacheFailure.newerLayout(found: version, supported: Schema.current.version, root: root.path)
        }
        return try database.all("PRAGMA integrity_check(10)") { $0.string(0) }.filter { $0 != "ok" }
    }

    /// The file that is open.
    package var identity: File.Identity? { connection.withLock { $0.identity } }

    /// Adds to the counters of a scope, which a later transaction writes.
    package func count(in scope: ScopeName, _ change: (inout Tally) -> Void) {
        connection.withLock { $0.tallies.change(scope, change) }
    }

    /// Whether there are counts that are due to be written.
    var owesCounts: Bool {
        connection.withLock { $0.hasCounts && SteadyTime.now() - $0.countedAt >= Self.countInterval }
    }

    /// Whether there are counts or uses that have not been written.
    var hasCounts: Bool { connection.withLock { $0.hasCounts } }

    /// Whether anything has been written since the last time that this was asked.
    func takeHasWritten() -> Bool {
        connection.withLock { connection in
            defer { connection.hasWritten = false }
            return connection.hasWritten
        }
    }

    /// Counts a file that this process has stored.
    func note(stored bytes: Int) { demand.withLock { $0.stored += bytes } }

    /// Notes the size of the root after trimming.
    func note(kept bytes: Int) { demand.withLock { $0.kept = max($0.kept, bytes) } }

    /// Returns the room that this process has needed since the last call.
    func takeDemand() -> CacheDemand {
        demand.withLock { demand in
            defer { demand = CacheDemand() }
            return demand
        }
    }

    /// Leaves a short log to the process that opens the index next.
    func settleLog(over pages: Int32 = Database.restingPages) {
        connection.withLock { $0.database.settleLog(over: pages) }
    }

    /// Gives back the room that the index takes beside its file.
    func emptyLog() throws { try perform { $0.database.emptyLog() } }
}
