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

    /// Finds the picture under its best address, if it is there and fresh.
    public func processAtOnce(_ record: inout Record, argument: String?) -> Bool {
        guard let (key, address) = try? CacheItem.keys(of: argument, record, rules).first,
            case .cache(let cache)? = try? caches.place(for: address),
            let entry = cache.immediately(key, asFetch: false)
        else { return false }
        record.setCached(entry, status: .hit)
        return true
    }

    public func process(_ record: inout Record, argument: String?, emit: (Record) -> Void) throws {
        let (entry, cache) = try caches.find(record, argument: argument, rules: rules)
        record.setCached(entry, status: cache.status(of: entry))
    }
}

extension Caches {
    /// The entry of what an argument or a record names, the best one that is there, and the cache that it is in. Throws
    /// `CacheFailure.absent` (1), which is what everything is whose policy is `disabled`.
    ///
    /// - Parameter handingOut: whether its path is to be used; else it is only looked at, see `CacheStore.peek`.
    public func find(
        _ record: Record, argument: String?, rules: CacheItem.Rules, handingOut: Bool = true
    ) throws -> (entry: Entry, cache: CacheStore) {
        let keys = try CacheItem.keys(of: argument, record, rules)
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
