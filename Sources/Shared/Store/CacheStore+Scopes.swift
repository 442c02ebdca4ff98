import Support

extension CacheStore {
    /// The scope last switched to; nil if nobody ever has, so that `ScopeName.standard` is current. Throws
    /// `CacheFailure` if the index cannot be used, and `Cancelled` if the run is stopped while others keep it busy.
    public func scopeSwitchedTo() throws -> ScopeName? { try index.currentScope() }

    /// All scopes by name. The cost grows with their number, not with that of entries. Throws `CacheFailure` if the
    /// index cannot be used, and `Cancelled` if the run is stopped while others keep it busy.
    public func scopes() throws -> [ScopeSummary] { try index.scopes() }

    /// Makes a scope the current one and, unless `keeping`, empties the one that was, as `purge` does. Gives nil, and
    /// changes nothing, where it is current already.
    ///
    /// Whatever runs in another process and took the old scope because it was current fails with
    /// `CacheFailure.scopeChanged` from now on, where it would store something. Throws `CacheFailure` if the root
    /// cannot be used or changed, `SystemFailure`, and `Cancelled` if the run is stopped.
    public func makeCurrent(_ scope: ScopeName, keeping: Bool = false) throws -> ScopeSwitch? {
        try requireWriting()
        return try removing({ try keeping ? [] : someFiles(of: index.currentScope() ?? .standard) }) {
            try index.makeCurrent(scope, keeping: keeping, now: clock.now())
        }
    }

    /// Empties a scope and gives what it held. One small transaction, after which nobody finds any of it; downloads of
    /// any process for it end within half a second and are thrown away. The files are left to `finishPurges`.
    public func purge(_ scope: ScopeName) throws -> ScopeContents {
        try requireWriting()
        return try removing({ try someFiles(of: scope) }) { try index.purge(scope, now: clock.now()) }
    }

    /// Empties all scopes and forgets them, their counters and the scope switched to, and removes all files. Safe
    /// beside other processes: what they have under way ends as after `purge`. Throws `CacheFailure` if the root cannot
    /// be used or changed, `SystemFailure`, and `Cancelled` if the run is stopped.
    public func reset() throws -> ResetReport {
        try requireWriting()
        let report = try removing({ try someFiles() }) { try index.reset(now: clock.now()) }
        // Nothing is left that could be taken in again, or by which.
        index.root.noteRebuilt()
        try index.root.damagedIndexes.forEach(index.root.remove)
        try finishPurges()
        return report
    }

    /// Empties one scope and forgets its counters, and removes its files. Safe as above. Throws `CacheFailure` if the
    /// root cannot be used or changed, `SystemFailure`, and `Cancelled` if the run is stopped.
    public func reset(_ scope: ScopeName) throws -> ResetReport {
        try requireWriting()
        let report = try removing({ try someFiles(of: scope) }) { try index.reset(scope, now: clock.now()) }
        try finishPurges()
        return report
    }

    /// Returns what `reset` would take away, of one scope or of all. Throws `CacheFailure` if the index cannot be used,
    /// and `Cancelled` if the run is stopped while others keep it busy.
    public func resetReport(of scope: ScopeName? = nil) throws -> ResetReport { try index.resetReport(of: scope) }

    /// Returns whether a path leads into a scope that was purged after the path was handed out.
    package func isPurged(_ path: String) throws -> Bool {
        guard let origin = index.root.origin(ofBlob: path) else { return false }
        let generations = try index.generations()
        return origin.generation < generations.known[origin.hash] ?? generations.other
    }

    /// Whether purges have left something to do. Throws `CacheFailure` if the index cannot be used, and `Cancelled` if
    /// the run is stopped while others keep it busy.
    public func isPurgePending() throws -> Bool { try index.purgedScope() != nil }

    /// Removes the rows and files of everything that was purged, by whichever process, and what stale downloads that
    /// were killed have left. Waits for another process that is at it. Throws `Cancelled` between two steps when the
    /// run is stopped; the next call goes on from there.
    ///
    /// Gives how many entries' rows there still were, and their bytes.
    @discardableResult
    public func finishPurges() throws -> ScopeContents {
        try requireWriting()
        var removed = ScopeContents()
        repeat {
            let lock = try KeyLock(
                root: index.root, CacheRoot.purgeLock, for: LockedWork(.maintenance, limit: settings.timeout),
                interruption: interruption)
            defer { withExtendedLifetime(lock) {} }
            removed += try Purge(index: index, clock: clock).run { [interruption] in
                try interruption.check()
                return true
            }
        } while try isPurgePending()
        return removed
    }

    /// Finishes purges as a process that was started for that: it leaves it to another such process that runs already.
    /// Throws `CacheFailure` if the root cannot be used or changed, `SystemFailure`, and `Cancelled` if the run is
    /// stopped.
    public func finishPurgesInBackground() throws {
        repeat {
            guard let turn = try KeyLock.ifFree(root: index.root, CacheRoot.purgerLock) else { return }
            defer { withExtendedLifetime(turn) {} }
            try finishPurges()
            // Looked at again afterwards: the process that purges in between may have found the lock taken.
        } while try isPurgePending()
    }

    /// Takes on what purges have left, for at most about `limit`, and only where nobody else is at it.
    func continuePurges(for limit: Duration) throws {
        guard try isPurgePending() else { return }
        guard let lock = try KeyLock.ifFree(root: index.root, CacheRoot.purgeLock) else { return }
        defer { withExtendedLifetime(lock) {} }
        let end = SteadyTime.now() + limit
        _ = try Purge(index: index, clock: clock).run { [interruption] in
            interruption.cause == nil && SteadyTime.now() < end
        }
    }
}
