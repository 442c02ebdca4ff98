import HTTP
import Support

extension Caches {
    /// For each address the quotas of all who use the root in which its answers are kept; those of this process alone
    /// where the policy for it is to keep nothing. Opens no cache yet.
    public func quotas(log: Log) -> @Sendable (WebURL) -> any QuotaLedger {
        let alone = MemoryQuotas()
        let onDisk = CachedQuotas(log: log) { [self] in try cache() }
        let inMemory = CachedQuotas(log: log) { [self] in try cache(inMemory: true) }
        return { [self] address in
            switch policy(for: address.normalized) {
            case .enabled: onDisk
            case .memory: inMemory
            case .disabled: alone
            }
        }
    }
}
