import Records
import Support

/// Pins each record's picture, or takes the pin off: the work of `img-cache pin` and `unpin`.
public struct PinTool: RecordTool {
    public let name = "img-cache"
    private let cache: ImageCache
    private let rules: CacheItem.Rules
    private let isPinned: Bool

    public init(cache: ImageCache, rules: CacheItem.Rules, isPinned: Bool) {
        self.cache = cache
        self.rules = rules
        self.isPinned = isPinned
    }

    public func process(_ record: inout Record, argument: String?, emit: (Record) -> Void) throws {
        let found = try cache.find(record, argument: argument, rules: rules)
        guard let entry = try cache.setPinned(found, isPinned) else {
            throw CacheFailure.absent(key: found.key ?? "")
        }
        record.setCached(entry, status: cache.status(of: entry))
    }
}
