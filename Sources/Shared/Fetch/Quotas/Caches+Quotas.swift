import HTTP
import Support

extension Caches {
    /// Returns the ledger of an address: of its root, or of this process if the policy stores nothing. Opens no cache
    /// yet.
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
