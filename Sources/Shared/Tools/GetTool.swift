import Fetch
import Records
import Store

/// Finds each record's picture in the cache, without the network: the work of `img-cache get`.
public struct GetTool: CacheTool {
    public let name = "img-cache"
    private let caches: Caches
    private let rules: CacheItem.Rules

    public init(caches: Caches, rules: CacheItem.Rules) {
        self.caches = caches
        self.rules = rules
    }

    public func prepare(_ job: RecordJob) -> Prepared { prepare([job])[0] }

    public func prepare(_ jobs: [RecordJob]) -> [Prepared] {
        let keys = jobs.map { job in Result { try rules.keys(of: job) } }
        return caches.prepare(jobs, lookups: keys.map { try? $0.get().first }, asFetch: false) { index in
            { record, _ in
                let (entry, cache) = try caches.find(keys[index].get())
                record.setCached(entry, status: cache.status(of: entry))
            }
        }
    }
}

extension Caches {
    /// Returns the entry of what an argument or a record names, the best one that is there, and the cache that it is in.
    /// Throws `CacheFailure.absent` (1), which is what everything is whose policy is `disabled`, `NoPicture` if nothing
    /// is named, and what `CacheItem.Rules.keys` throws.
    ///
    /// - Parameter handingOut: whether its path is to be used; else it is only looked at, see `CacheStore.peek`.
    public func find(
        _ job: RecordJob, _ rules: CacheItem.Rules, handingOut: Bool = true
    ) throws -> (entry: Entry, cache: CacheStore) {
        try find(rules.keys(of: job), handingOut: handingOut)
    }

    fileprivate func find(
        _ keys: [CacheItem.Lookup], handingOut: Bool = true
    ) throws -> (entry: Entry, cache: CacheStore) {
        // A key of the user's own is the same for all addresses.
        var asked: [(key: CacheKey, policy: Policy)] = []
        for (key, address) in keys {
            let policy = policy(for: address)
            guard !asked.contains(where: { $0 == (key, policy) }) else { continue }
            asked.append((key, policy))
            if case .cache(let cache) = try place(policy),
                let entry = try handingOut ? cache.lookup(key) : cache.peek(key)
            {
                return (entry, cache)
            }
        }
        throw keys.first.map { CacheFailure.absent(key: $0.key.text) } ?? NoPicture()
    }
}
