import HTTP
import Store
import Support

/// Quotas that all processes share which use one root, whatever their scopes: they lie in its index, which is opened
/// with the first request that is made.
///
/// A root that cannot be opened or written keeps nobody from asking: from then on the quotas are those of this process.
public final class CachedQuotas: QuotaLedger {
    private enum State {
        case unopened
        case shared(CacheStore)
        case alone
    }

    private let state = Monitor(State.unopened)
    private let memory = MemoryQuotas()
    private let log: Log
    private let open: @Sendable () throws -> CacheStore

    /// - Parameter open: gives the cache whose index is to be used; called once at most.
    public init(log: Log = .silent, open: @escaping @Sendable () throws -> CacheStore) {
        self.log = log
        self.open = open
    }

    /// See `QuotaLedger.update`; `change` may run more than once, and what it gave last is given. Throws `Cancelled`,
    /// and `CacheFailure.newerLayout`, which no run passes over.
    public func update<Result>(_ name: String, _ change: (inout RequestQuota) -> Result) throws -> Result {
        do {
            if let cache = try cache() { return try cache.updateQuota(name, change) }
        } catch let failure where Self.endsRequest(failure) {
            throw failure
        } catch {
            state.withLock { $0 = .alone }
            log.detail(
                "requests are counted for this process alone: \(failure(of: error).message)")
        }
        return memory.update(name, change)
    }

    /// Nil if it cannot be used.
    private func cache() throws -> CacheStore? {
        try state.withLock { state in
            switch state {
            case .alone: return nil
            case .shared(let cache): return cache
            case .unopened:
                let cache = try open()
                state = .shared(cache)
                return cache
            }
        }
    }

    private static func endsRequest(_ error: any Error) -> Bool {
        if case CacheFailure.newerLayout = error { return true }
        return error is Cancelled
    }
}

extension CacheStore {
    /// See `Index.updateQuota`. Once more where the root was removed under it.
    fileprivate func updateQuota<Result>(
        _ name: String, _ change: (inout RequestQuota) -> Result
    ) throws -> Result {
        try requireWriting()
        return try againIfRemoved {
            try index.reopenIfReplaced()
            return try index.updateQuota(name, now: clock.now()) { state in
                // One that cannot be understood counts as none.
                let known = state.flatMap(RequestQuota.init) ?? RequestQuota()
                var quota = known
                let result = change(&quota)
                return (quota == known ? nil : quota.description, result)
            }
        }
    }
}
