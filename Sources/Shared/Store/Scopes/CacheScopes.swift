import Support

extension CacheStore {
    public var scopes: CacheScopes { CacheScopes(cache: self) }
}

/// The scopes of a root: their names, contents and removal. Methods throw the errors of `CacheStore`.
public struct CacheScopes: Sendable {
    /// Keeps the cache open during the work.
    let cache: CacheStore

    private var index: Index { cache.index }
    private var clock: Clock { cache.clock }
    private var interruption: Interruption { cache.interruption }

    /// Returns the scope last switched to, or nil if there was no switch and `ScopeName.standard` is current.
    public func current() throws -> ScopeName? { try index.perform { try $0.database.currentScope() } }

    /// Returns all scopes, sorted by name. The cost depends on the number of scopes, not of entries.
    public func all() throws -> [ScopeSummary] { try index.perform { try $0.scopes.summaries() } }

    /// Switches to a scope and, unless `keeping`, purges the previous scope. Returns nil if the scope is already
    /// current.
    ///
    /// Runs of other processes that use the current scope then fail with `CacheFailure.scopeChanged` when they store an
    /// entry or metadata.
    public func makeCurrent(_ scope: ScopeName, keeping: Bool = false) throws -> ScopeSwitch? {
        try purging({ try keeping ? [] : someFiles(of: current() ?? .standard) }, syncs: !keeping) {
            try $0.makeCurrent(scope, keeping: keeping)
        }
    }

    /// Empties a scope in a small transaction, and returns its previous contents. Downloads for the scope, in any
    /// process, end within half a second and are discarded. `finishPurges` removes the files.
    public func purge(_ scope: ScopeName) throws -> EntrySum {
        try purging({ try someFiles(of: scope) }) { try $0.purge(scope) }
    }

    /// Purges a scope, deletes its counters and removes its files. Without a scope, purges all scopes, deletes all
    /// counters and settings, including the current scope, and removes all files. Work of other processes ends as after
    /// `purge`. With `dryRun`, only counts the data.
    public func reset(_ scope: ScopeName? = nil, dryRun: Bool = false) throws -> ResetReport {
        if dryRun { return try index.perform { try $0.scopes.resetReport(of: scope) } }
        let report = try purging({ try someFiles(of: scope) }) { try scope.map($0.reset) ?? $0.reset() }
        if scope == nil {
            // Remove everything from which metadata would be recovered.
            try index.root.damagedIndexes.forEach(index.root.remove)
        }
        try finishPurges()
        return report
    }

    /// Runs `body`, which purges scopes, in a transaction. Then creates the folders of the next generations.
    ///
    /// - Parameters:
    ///   - files: see `Index.removing`.
    ///   - syncs: whether to sync the transaction to the disk.
    private func purging<Result>(
        _ files: () throws -> [String], syncs: Bool = true, _ body: (ScopeTable) throws -> Result
    ) throws -> Result {
        try index.requireWriting()
        return try index.removing(files) {
            let result = try index.write(now: clock.now()) { try body($0.scopes) }
            if syncs { try index.synchronize() }
            try index.perform { try $0.scopes.beginPurgedGenerations() }
            return result
        }
    }

    /// Returns the paths of some files of a scope or of each scope.
    private func someFiles(of scope: ScopeName? = nil) throws -> [String] {
        try index.perform { connection in
            try connection.scopes.rows(of: scope).flatMap { try connection.entries.page(of: $0, after: "") }
        }.map(\.place)
    }

    /// Whether a path belongs to a purged generation of its scope.
    package func isPurged(_ path: String) throws -> Bool {
        guard let origin = index.root.origin(ofBlob: path) else { return false }
        let generations = try index.perform { try $0.scopes.generations() }
        return origin.generation < generations.known[origin.hash] ?? generations.other
    }

    /// Whether purged files or rows await removal.
    public func isPurgePending() throws -> Bool { try index.perform { try $0.scopes.purged() } != nil }

    /// Removes the rows, files and partial downloads of all purged generations. First waits for any other process that
    /// is removing them. If the run is stopped, the next call continues. Returns the number of removed rows and their
    /// bytes.
    @discardableResult
    public func finishPurges() throws -> EntrySum {
        try index.requireWriting()
        var removed = EntrySum()
        repeat {
            let lock = try KeyLock(
                root: index.root, CacheRoot.purgeLock, for: LockedWork(.maintenance, limit: cache.settings.timeout),
                interruption: interruption)
            defer { withExtendedLifetime(lock) {} }
            let purged = try Purge(index: index, clock: clock).run { [interruption] in
                try interruption.check()
                return true
            }
            removed.add(purged)
        } while try isPurgePending()
        return removed
    }

    /// Completes all purges. Called in a background process; returns immediately if another such process is running.
    public func finishPurgesInBackground() throws {
        repeat {
            guard let turn = try KeyLock.ifFree(root: index.root, CacheRoot.purgerLock) else { return }
            defer { withExtendedLifetime(turn) {} }
            try finishPurges()
            // Check again: a process may have purged a scope just now, found the lock held, and left the work to this
            // process.
        } while try isPurgePending()
    }

    /// Continues purges for at most about `limit`, unless another process is doing so.
    func continuePurges(for limit: Duration) throws {
        guard let lock = try KeyLock.ifFree(root: index.root, CacheRoot.purgeLock) else { return }
        defer { withExtendedLifetime(lock) {} }
        let end = SteadyTime.now() + limit
        _ = try Purge(index: index, clock: clock).run { [interruption] in
            interruption.cause == nil && SteadyTime.now() < end
        }
    }
}
