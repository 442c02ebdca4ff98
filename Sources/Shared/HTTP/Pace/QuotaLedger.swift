import Support

/// Keeps quotas by name, for one process or for several.
public protocol QuotaLedger: Sendable {
    /// Runs `change` on the quota of that name, a new one where there is none, alone: nobody else who keeps the same
    /// ledger sees or changes it meanwhile. Writes only where something has changed. What `change` gives is given on.
    ///
    /// Throws only what is to end the request: a ledger that cannot be reached goes on in memory.
    func update<Result>(_ name: String, _ change: (inout RequestQuota) -> Result) throws -> Result
}

/// A ledger for the threads of one process.
public final class MemoryQuotas: QuotaLedger {
    private let quotas = Monitor<[String: RequestQuota]>([:])

    public init() {}

    public func update<Result>(_ name: String, _ change: (inout RequestQuota) -> Result) -> Result {
        quotas.withLock { change(&$0[name, default: RequestQuota()]) }
    }
}
