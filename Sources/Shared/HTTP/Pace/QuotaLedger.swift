import Support

/// Keeps quotas by name, for one process or for several.
public protocol QuotaLedger: Sendable {
    /// Runs `change` on the quota of that name, which is new if there is none, and returns its result. Nobody else who
    /// uses the same ledger sees or changes the quota meanwhile. Writes only if something has changed.
    ///
    /// Throws only what should end the request: a ledger that cannot be reached goes on in memory.
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
