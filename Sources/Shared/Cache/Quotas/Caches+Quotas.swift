import HTTP
import Support

extension Caches {
    /// The quotas of all who use the root in which answers of that address are kept; those of this process alone where
    /// its policy is to keep nothing. Opens no cache yet.
    public func quotas(for address: WebURL, log: Log) -> any QuotaLedger {
        let policy = policy(for: address.normalized)
        if policy == .disabled { return MemoryQuotas() }
        return CachedQuotas(log: log) { [self] in try cache(inMemory: policy == .memory) }
    }
}
