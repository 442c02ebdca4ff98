import Support

extension CacheStore {
    /// What the root holds and what was counted, up to this moment, in all scopes or in one. The cost grows with the
    /// number of entries and of metadata, by about 0.3 µs each. Throws `CacheFailure` if the index cannot be used, and
    /// `Cancelled` if the run is stopped while others keep it busy.
    public func statistics(scope: ScopeName? = nil) throws -> Statistics {
        if !index.isReadOnly { try index.flush(now: clock.now()) }
        return try index.statistics(scope: scope, capacity: settings.capacity, now: clock.now())
    }

    /// Gives the statistics to `report`, and begins all counters of these scopes anew, in one transaction, so that
    /// nothing is counted twice or lost. Nothing is changed where `report` throws. Others cannot write meanwhile.
    public func zeroStatistics(scope: ScopeName? = nil, after report: (Statistics) throws -> Void) throws {
        try requireWriting()
        try index.flush(now: clock.now())
        try index.zeroCounters(scope: scope, capacity: settings.capacity, now: clock.now(), after: report)
    }

    /// What the remote has found; else nil, and why is counted.
    func counted<Value>(_ answer: RemoteAnswer<Value>) -> Value? {
        switch answer {
        case .found(let value): return value
        case .absent: index.count(in: scope) { $0.add(.remoteMisses) }
        case .damaged: index.count(in: scope) { $0.add(.remoteDamaged) }
        case .failed: index.count(in: scope) { $0.add(.remoteErrors) }
        case .notAsked: break
        }
        return nil
    }
}
