import Support

/// Counts and uses of entries, which later transactions write, and the version of the index.
extension Index {
    /// Changes the pending counts of a scope.
    package func count(in scope: ScopeName, _ change: (inout Tally) -> Void) {
        connection.withLock { $0.tallies.change(scope, change) }
    }

    /// Returns the value that the remote found. For any other answer, counts it and returns nil.
    func counted<Value>(_ answer: RemoteAnswer<Value>, in scope: ScopeName) -> Value? {
        switch answer {
        case .found(let value): return value
        case .absent: count(in: scope) { $0.add(.remoteMisses) }
        case .damaged: count(in: scope) { $0.add(.remoteDamaged) }
        case .failed: count(in: scope) { $0.add(.remoteErrors) }
        case .notAsked: break
        }
        return nil
    }

    /// Records a use of an entry. At 10,000 pending uses, drops them: no transaction has succeeded for a long time.
    func use(_ entry: Entry) {
        connection.withLock { connection in
            if connection.uses.count >= 10_000 { connection.uses = [] }
            connection.uses.append(entry)
        }
    }

    /// Whether counts or uses are pending and counts were last written at least `countInterval` ago.
    var owesCounts: Bool {
        connection.withLock { $0.hasCounts && SteadyTime.now() - $0.countedAt >= Self.countInterval }
    }

    /// Writes the pending counts and uses. Throws `CacheFailure.busy` if other processes lock the index for longer than
    /// `patience`.
    func flush(now: Timestamp, patience: Duration = busyTimeout) throws {
        guard connection.withLock(\.hasCounts) else { return }
        try write(now: now, isQuiet: true, writesCounts: true, patience: patience) { _ in }
    }

    /// Returns whether anything was written since the last call.
    func takeHasWritten() -> Bool {
        connection.withLock { connection in
            defer { connection.hasWritten = false }
            return connection.hasWritten
        }
    }

    /// A number that changes whenever another process writes to the index, or this process changes entries. Nil if
    /// unknown, as for a read-only root or a replaced index. Costs about 3 µs.
    package func version() -> Int? { connection.withLock { try? $0.currentVersion() } }

    func checkpointLog(over pages: Int32 = Database.idleLogPages) {
        connection.withLock { $0.database.checkpointLog(over: pages) }
    }
}
