import HTTP
import Store
import Support

/// Refusals in the index of a root, which all its processes and scopes share. Opened with the first request.
///
/// A root that cannot be opened or written prevents no request. From then on, only this process knows the refusals.
public final class CachedQuotas: QuotaLedger {
    private let isAlone = Monitor(false)
    private let memory = MemoryQuotas()
    private let log: Log
    private let open: @Sendable () throws -> CacheStore

    /// - Parameter open: returns the cache with the index.
    public init(log: Log = .silent, open: @escaping @Sendable () throws -> CacheStore) {
        self.log = log
        self.open = open
    }

    /// Throws `Cancelled`, and `CacheFailure.newerLayout`, which ends every run.
    public func refusal(of name: String) throws -> QuotaRefusal? {
        try shared { try $0.index.quota(name, now: $0.clock.now()).flatMap(QuotaRefusal.init) }
            ?? memory.refusal(of: name)
    }

    public func keep(_ refusal: QuotaRefusal?, of name: String) throws {
        try shared { try $0.index.keepQuota(refusal?.description, name, now: $0.clock.now()) }
            ?? memory.keep(refusal, of: name)
    }

    /// Nil if the root cannot be used.
    private func shared<Result>(_ body: (CacheStore) throws -> Result) throws -> Result? {
        if isAlone.withLock({ $0 }) { return nil }
        do {
            let cache = try open()
            try cache.index.requireWriting()
            return try cache.index.againIfRemoved {
                try cache.index.reopenIfReplaced()
                return try body(cache)
            }
        } catch {
            if case CacheFailure.newerLayout = error { throw error }
            if error is Cancelled { throw error }
            if !isAlone.testAndSet() {
                log.detail("other processes do not see the request limits: \(failure(of: error).message)")
            }
            return nil
        }
    }
}

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
