import HTTP
import Store
import Support

/// Stores refusals of servers in the index of a root, shared by all processes and scopes. The index is opened at the
/// first request.
///
/// If the root cannot be opened or written, requests continue, and refusals are stored in the memory of this process
/// only.
public final class CachedQuotas: QuotaLedger {
    private let isAlone = Monitor(false)
    private let memory = MemoryQuotas()
    private let log: Log
    private let open: @Sendable () throws -> CacheStore

    /// - Parameter open: opens the cache whose index stores the refusals.
    public init(log: Log = .silent, open: @escaping @Sendable () throws -> CacheStore) {
        self.log = log
        self.open = open
    }

    /// Throws `Cancelled` and, to end the run, `CacheFailure.newerLayout`.
    public func refusal(of name: String) throws -> QuotaRefusal? {
        try shared { index, now in
            try index.perform { try $0.quotas.state(name, now: now) }.flatMap(QuotaRefusal.init)
        } ?? memory.refusal(of: name)
    }

    public func keep(_ refusal: QuotaRefusal?, of name: String) throws {
        try shared { index, now in
            try index.write(now: now, isQuiet: true) { try $0.quotas.set(name, to: refusal?.description, now: now) }
        } ?? memory.keep(refusal, of: name)
    }

    /// Runs `body` on the index of the shared cache, or returns nil if it cannot be used.
    private func shared<Result>(_ body: (Index, Timestamp) throws -> Result) throws -> Result? {
        if isAlone.withLock({ $0 }) { return nil }
        do {
            let cache = try open()
            try cache.index.requireWriting()
            return try cache.index.againIfRemoved {
                try cache.index.reopenIfReplaced()
                return try body(cache.index, cache.clock.now())
            }
        } catch {
            if case CacheFailure.newerLayout = error { throw error }
            if error is Cancelled { throw error }
            if !isAlone.testAndSet() {
                log.detail("cannot share the request limits with other processes: \(failure(of: error).message)")
            }
            return nil
        }
    }
}

extension Caches {
    /// Returns a function that selects the ledger for an address: the ledger in the cache on disk or in memory, or a
    /// ledger of this process if the policy is `disabled`. Opens no cache yet.
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
