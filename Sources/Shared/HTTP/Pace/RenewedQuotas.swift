import Support

/// A ledger that forgets what was known about a quota when the run first looks at it; what the run learns is kept for
/// all. For runs that must ask the server in any case, such as after a change of plan.
public final class RenewedQuotas: QuotaLedger {
    private let base: any QuotaLedger
    private let seen: Monitor<Set<String>>

    init(_ base: any QuotaLedger, seen: Monitor<Set<String>>) {
        self.base = base
        self.seen = seen
    }

    /// Returns the same for each address's ledger.
    public static func over(
        _ ledger: @escaping @Sendable (WebURL) -> any QuotaLedger
    ) -> @Sendable (WebURL) -> any QuotaLedger {
        let seen = Monitor<Set<String>>([])
        return { RenewedQuotas(ledger($0), seen: seen) }
    }

    /// Runs `change` on the quota, forgetting the one from before this run. Throws what the ledger below throws.
    public func update<Result>(_ name: String, _ change: (inout RequestQuota) -> Result) throws -> Result {
        let isFirst = seen.withLock { $0.insert(name).inserted }
        return try base.update(name) { quota in
            if isFirst { quota = RequestQuota() }
            return change(&quota)
        }
    }
}
