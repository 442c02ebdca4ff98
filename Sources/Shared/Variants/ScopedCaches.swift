import Cache
import Support

/// The caches of the scopes that records come from, opened when first needed.
public final class ScopedCaches: Sendable {
    /// The most that are open at once: records may name any number of scopes, a process may open 1024 files.
    private static let limit = 32

    private let settings: CacheSettings
    private let log: Log
    private let metrics: Metrics
    private let interruption: Interruption
    private let open = Monitor([String: ImageCache]())

    /// - Parameter settings: a scope in them beats that of any record.
    public init(settings: CacheSettings, log: Log, metrics: Metrics = .silent, interruption: Interruption) {
        self.settings = settings
        self.log = log
        self.metrics = metrics
        self.interruption = interruption
    }

    /// The cache of this scope; of the current one for nil.
    func cache(scope: String?) throws -> ImageCache {
        var settings = settings
        if settings.scope == nil { settings.scope = try scope.map(ScopeName.init) }
        let wanted = settings
        return try open.withLock { caches throws in
            let name = wanted.scope?.text ?? ""
            if let cache = caches[name] { return cache }
            // Whoever still works with one of them keeps it open until then.
            if caches.count == Self.limit { caches.removeAll() }
            let cache = try ImageCache(
                settings: wanted, log: log, metrics: metrics, interruption: interruption)
            caches[name] = cache
            return cache
        }
    }

    /// Writes down what was counted.
    public func close() {
        for cache in open.withLock({ Array($0.values) }) { cache.close() }
    }
}
