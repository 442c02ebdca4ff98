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
    /// The demand of this process on the capacity of the root.
    let demand = Monitor(CacheDemand())
    let connection: Monitor<IndexConnection>
    private let setup: IndexSetup
    /// The number of `CacheStore`s that use the index. The last `CacheStore` calls `close` when it is released.
    private let users = Monitor(0)
    private let waits = Monitor(BusyWaits())

    /// The interval at which counts are written. A killed run loses the counts of at most this interval.
    static let countInterval: Duration = .seconds(1)

    /// Opens the index of `root`. The cost does not grow with the number of entries.
    ///
    /// Creates nothing: a missing root is treated as an empty cache until the first write.
    package init(root: CacheRoot, log: Log, interruption: Interruption) throws {
        self.root = root
        setup = IndexSetup(root: root, log: log, interruption: interruption)
        connection = Monitor(try setup.open(making: false))
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

    package var identity: File.Identity? { connection.withLock { $0.identity } }

    // MARK: Transactions

    /// Runs `body` with exclusive use of the connection. Retries while other processes keep the index busy, and
    /// releases the connection during each wait. If the index is damaged, replaces it and retries once.
    package func perform<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
        try perform(making: false, body)
    }

    /// Creates the root and the index if they are missing. Throws `CacheFailure.readOnly` if nothing can be written.
    package func requireWriting() throws {
        try perform(making: true) { _ in }
        if isReadOnly { throw CacheFailure.readOnly(root: root.path) }
    }

    /// Runs `body` in a transaction that also writes pending uses, and pending counts if they are due.
    ///
    /// - Parameters:
    ///   - isQuiet: whether `body` changes no entries, so that `version` stays the same.
    ///   - writesCounts: whether to write the pending counts even if they are not due.
    ///   - patience: the maximum wait for transactions of other processes.
    @discardableResult
    package func write<Result>(
        now: Timestamp, isQuiet: Bool = false, writesCounts: Bool = false, patience: Duration = busyTimeout,
        _ body: (IndexConnection) throws -> Result
    ) throws -> Result {
        try perform(making: true, patience: patience) { connection in
            let time = SteadyTime.now()
            let counts = writesCounts || time - connection.countedAt >= Self.countInterval
            let result = try connection.database.transaction {
                for use in connection.uses { try connection.entries.touch(use, now: now) }
                let result = try body(connection)
                if counts { try connection.counters.add(connection.tallies, now: now) }
                return result
            }
            if !isQuiet { connection.version += 1 }
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

    /// Runs `body`, work that the next run can do instead, with short waits for other processes.
    func withShortWaits(_ body: () throws -> Void) rethrows {
        waits.withLock { $0.ceiling = bookkeepingTimeout }
        defer { waits.withLock { $0.ceiling = busyTimeout } }
        try body()
    }

    private func perform<Result>(
        making: Bool, patience: Duration = busyTimeout, _ body: (IndexConnection) throws -> Result
    ) throws -> Result {
        let limit = waits.withLock { $0.allowed(patience) }
        do {
            return try waitingWhileBusy(setup.interruption, patience: limit) {
                try connection.withLock { connection in
                    // Leave the empty database if the index exists by now or must be created.
                    if connection.identity == nil, try making || root.indexIdentity() != nil {
                        replace(&connection, by: try setup.open(making: making))
                    }
                    do {
                        return try body(connection)
                    } catch CacheFailure.indexDamaged(let detail, _) {
                        setup.log.detail("the index of the cache cannot be read: \(detail)")
                        replace(&connection, by: try setup.replacement(for: connection, detail: detail))
                        return try body(connection)
                    }
                }
            }
        } catch CacheFailure.busy(let root, _) {
            waits.withLock { $0.note(vain: limit) }
            throw CacheFailure.busy(root: root, process: Database.writer(of: self.root.index))
        }
    }

    /// Waits until all transactions so far are on the disk. Several threads can wait at the same time, and the file
    /// system combines their syncs; with `PRAGMA synchronous = FULL`, each thread would wait within its transaction.
    func synchronize() throws {
        // Closing the write-ahead log releases no SQLite lock. If there is no log, SQLite has already synced all data
        // to the database file.
        try root.writing { try root.openIfPresent(CacheRoot.index + "-wal")?.synchronize() }
    }

    // MARK: Replacing the connection

    /// Opens the index again if its file was replaced, for example because the root was removed during the run.
    package func reopenIfReplaced() throws {
        try connection.withLock { connection in
            if try root.indexIdentity() == connection.identity { return }
            replace(&connection, by: try setup.open(making: false))
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
                setup.log.detail("the folder of the cache was removed: \(failure(of: error).message)")
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
            replace(&connection, by: try setup.replacement(for: connection, detail: nil))
        }
    }

    /// Replaces the connection, retains the pending counts, and advances the version, which invalidates all rows read
    /// before.
    private func replace(_ connection: inout IndexConnection, by new: IndexConnection) {
        new.tallies = connection.tallies
        new.version = connection.version + 1
        // If the index did not exist when the run began, the run must not store anything after a purge.
        if connection.identity == nil { new.firstSeenGenerations = connection.firstSeenGenerations }
        connection = new
    }
}
