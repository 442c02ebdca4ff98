import Support

/// A ledger in which this run begins anew: what was known of a quota is forgotten when the run first looks at it, and
/// what it learns is kept for all. For whoever wants the server asked in any case, such as after a change of
/// plan.
public final class RenewedQuotas: QuotaLedger {
    private let base: any QuotaLedger
    private let seen: Monitor<Set<String>>

    init(_ base: any QuotaLedger, seen: Monitor<Set<String>>) {
        self.base = base
        self.seen = seen
    }

    /// The same for each address's ledger.
    public static func over(
        _ ledger: @escaping @Sendable (WebURL) -> any QuotaLedger
    ) -> @Sendable (WebURL) -> any QuotaLedger {
        let seen = Monitor<Set<String>>([])
        return { RenewedQuotas(ledger($0), seen: seen) }
    }

    public func update<Result>(_ name: String, _ change: (inout RequestQuota) -> Result) throws -> Result {
        let isFirst = seen.withLock { $0.insert(name).inserted }
        return try base.update(name) { quota in
            if isFirst { quota = RequestQuota() }
            return change(&quota)
        }
    }
}
