import Fetch
import Records
import Store
import Support

/// Pins each record's picture, or takes the pin off: the work of `img-cache pin` and `unpin`.
public struct PinTool: CacheTool {
    public let name = "img-cache"
    private let caches: Caches
    private let rules: CacheItem.Rules
    private let isPinned: Bool

    public init(caches: Caches, rules: CacheItem.Rules, isPinned: Bool) {
        self.caches = caches
        self.rules = rules
        self.isPinned = isPinned
    }

    public func prepare(_ job: RecordJob) -> Prepared {
        .work { record, _ in
            let (found, cache) = try caches.find(job, rules)
            guard let entry = try cache.setPinned(found, isPinned) else {
                throw CacheFailure.absent(key: found.key ?? "")
            }
            record.setCached(entry, status: cache.status(of: entry))
        }
    }
}
