import Support

/// The SQLite database of a root, shared by all threads, scopes and processes.
///
/// A process has one connection, guarded by a lock: a statement takes some microseconds, and no thread holds the
/// connection during network I/O. Files are renamed and removed within write transactions. SQLite allows one writer at
/// a time, so no process removes a file that another has just stored. A row is inserted after its file is in place, and
/// deleted before its file is removed.
///
/// A damaged index is renamed and replaced by an empty index. After that, the row of a file is recovered when its key
/// is requested. `img-cache verify --repair` recovers all rows.
package final class Index: Sendable {
    package let root: CacheRoot
    private let log: Log
    private let interruption: Interruption
    private let connection: Monitor<Connection>
    /// The number of `CacheStore`s that use the index. The last `CacheStore` calls `close` when it is released.
    private let users = Monitor(0)

    struct Connection {
        let root: CacheRoot
        var database: Database
        /// The identity of the open file; nil if `database` is an empty database that replaces a missing root.
        var identity: File.Identity?
        var tallies = Tallies()
        /// The uses of entries that the next transaction will write, the earliest first.
        var uses: [Entry] = []
        /// The paths of files that a command removed or found damaged. `sweep` removes them even if they are leased.
        var unspared: Set<String> = []
        var countedAt = SteadyTime.now()
        var hasWritten = false
        var version = Version()
        var isReadOnly: Bool { identity == nil || database.isReadOnly }
        /// Whether the machine's boot was compared with the recorded boot, see `Index.mayLackRows`.
        var hasComparedBoot = false
        /// The generation of each scope when its metadata was first requested, by the hash of the scope's name.
        var firstSeenGenerations: [String: Int64] = [:]
    }

    private let waits = Monitor(BusyWaits())
    private let demand = Monitor(CacheDemand())

    /// The interval at which counts are written. A killed run loses the counts of at most this interval.
    private static let countInterval: Duration = .seconds(1)

    /// Opens the index of `root`. The cost does not grow with the number of entries.
    ///
    /// Creates nothing: a missing root is treated as an empty cache until the first write.
    package init(root: CacheRoot, log: Log, interruption: Interruption) throws {
        self.root = root
        self.log = log
        self.interruption = interruption
        connection = Monitor(try Self.open(root, making: false, log: log, interruption: interruption))
    }

    func beginUse() { users.withLock { $0 += 1 } }

    func endUse() -> Bool {
        users.withLock { users in
            users -= 1
            return users == 0
        }
    }

    /// Whether the index cannot be written. Also true for a missing root.
    package var isReadOnly: Bool { connection.withLock { $0.isReadOnly } }

    /// Runs `body` with exclusive use of the connection. Retries while other processes keep the index busy, and
    /// releases the connection during each wait. If the index is damaged, replaces it and retries once.
    func perform<Result>(_ body: (inout Connection) throws -> Result) throws -> Result {
        try perform(making: false, body)
    }

    func first<Result>(_ sql: String, _ values: Value..., read: (Row) throws -> Result) throws -> Result? {
        try perform { try $0.database.first(sql, values, read: read) }
    }

    func all<Result>(_ sql: String, _ values: Value..., read: (Row) throws -> Result) throws -> [Result] {
        try perform { try $0.database.all(sql, values, read: read) }
    }

    /// Creates the root and the index if they are missing. Throws `CacheFailure.readOnly` if nothing can be written.
    package func requireWriting() throws {
        try perform(making: true) { _ in }
        if isReadOnly { throw CacheFailure.readOnly(root: root.path) }
    }

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

    /// Runs `body`, work that the next run can do instead, with short waits for other processes.
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

    /// Replaces the connection to the empty database if the index exists by now or must be created.
    private func leaveEmpty(_ connection: inout Connection, making: Bool) throws {
        if !making, try root.indexIdentity() == nil { return }
        try replace(&connection) {
            try Self.open(root, making: making, log: log, interruption: interruption, tallies: $0.tallies)
        }
    }

    /// Runs `body` in a transaction that also writes pending uses, and pending counts if they are due.
    ///
    /// - Parameters:
    ///   - isQuiet: whether `body` changes no entries, so that `version` stays the same.
    ///   - writesCounts: whether to write the pending counts even if they are not due.
    ///   - patience: the maximum wait for transactions of other processes.
    @discardableResult
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

    /// Waits until all transactions so far are on the disk. Several threads can wait at the same time, and the file
    /// system combines their syncs; with `PRAGMA synchronous = FULL`, each thread would wait within its transaction.
    func synchronize() throws {
        // Closing the write-ahead log releases no SQLite lock. If there is no log, SQLite has already synced all data
        // to the database file.
        try root.writing { try root.openIfPresent(CacheRoot.index + "-wal")?.synchronize() }
    }

    /// Opens the index again if its file was replaced, for example because the root was removed during the run.
    package func reopenIfReplaced() throws {
        try connection.withLock { connection in
            if try root.indexIdentity() == connection.identity { return }
            try replace(&connection) {
                try Self.open(root, making: false, log: log, interruption: interruption, tallies: $0.tallies)
            }
        }
    }

    /// Runs `body`, and again up to three times if it fails because the root was removed. A single retry may not
    /// suffice: a removal takes time and may also delete parts of the new root. The removal also deletes the locks, so
    /// another process with the same lock may rename this process's partial file.
    package func againIfRemoved<Result>(_ body: () throws -> Result) throws -> Result {
        for _ in 0..<3 {
            let before = identity
            do {
                return try body()
            } catch
                where Self.isOfRemoval(error)
                || (error is SystemFailure || error is CacheFailure)
                    && (try? root.indexIdentity() != before) == true
            {
                log.detail("the folder of the cache was removed: \(failure(of: error).message)")
            }
            try reopenIfReplaced()
        }
        do {
            return try body()
        } catch is FileReplaced {
            throw CacheFailure.replaced(root: root.path)
        }
    }

    package static func isOfRemoval(_ error: any Error) -> Bool {
        error is FileReplaced || (error as? SystemFailure)?.code == "no-such-file"
    }

    /// Replaces an index that the integrity check has found damaged.
    func setAside() throws {
        try connection.withLock { connection in
            try replace(&connection) {
                try Self.replacement(for: $0, root: root, detail: nil, log: log, interruption: interruption)
            }
        }
    }

    /// Replaces the connection and advances the version, which invalidates all rows read before.
    private func replace(_ connection: inout Connection, by make: (Connection) throws -> Connection) rethrows {
        let old = connection
        connection = try make(old)
        connection.version.number = old.version.number + 1
        // If the index did not exist when the run began, the run must not store anything after a purge.
        if old.identity == nil { connection.firstSeenGenerations = old.firstSeenGenerations }
    }

    /// Runs `body` with exclusive use of the connection. `body` must not read the database.
    func withConnection<Result>(_ body: (inout Connection) -> Result) -> Result { connection.withLock(body) }

    /// Returns the errors reported by SQLite's integrity check, or nil if there is no index. Reads the whole file and
    /// changes nothing. Throws `CacheFailure.indexDamaged` if the file is not a database, and `newerLayout` if a later
    /// version has migrated it.
    static func complaints(_ root: CacheRoot) throws -> [String]? {
        guard try root.hasIndex else { return nil }
        let database = try openExisting(root)
        let version = try Schema.version(of: database)
        if version > Schema.current.version {
            throw CacheFailure.newerLayout(found: version, supported: Schema.current.version, root: root.path)
        }
        return try database.all("PRAGMA integrity_check(10)") { $0.string(0) }.filter { $0 != "ok" }
    }

    package var identity: File.Identity? { connection.withLock { $0.identity } }

    /// Changes the pending counts of a scope. A later transaction writes them.
    package func count(in scope: ScopeName, _ change: (inout Tally) -> Void) {
        connection.withLock { $0.tallies.change(scope, change) }
    }

    /// Whether counts or uses are pending and counts were last written at least `countInterval` ago.
    var owesCounts: Bool {
        connection.withLock { $0.hasCounts && SteadyTime.now() - $0.countedAt >= Self.countInterval }
    }

    var hasCounts: Bool { connection.withLock { $0.hasCounts } }

    /// Returns whether anything was written since the last call.
    func takeHasWritten() -> Bool {
        connection.withLock { connection in
            defer { connection.hasWritten = false }
            return connection.hasWritten
        }
    }

    func note(stored bytes: Int) { demand.withLock { $0.stored += bytes } }

    func note(kept bytes: Int) { demand.withLock { $0.kept = max($0.kept, bytes) } }

    func takeDemand() -> CacheDemand {
        demand.withLock { demand in
            defer { demand = CacheDemand() }
            return demand
        }
    }

    func settleLog(over pages: Int32 = Database.restingPages) {
        connection.withLock { $0.database.settleLog(over: pages) }
    }

    func emptyLog() throws { try perform { $0.database.emptyLog() } }
}
