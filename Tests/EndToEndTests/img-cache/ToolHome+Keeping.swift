import Fetch
import Store
import Support
import TestSupport

extension ToolHome {
    /// Stores bytes in the tools' cache and returns their path. Unlike `img-cache put --key`, accepts keys that only
    /// tools create.
    @discardableResult
    func keep(
        _ bytes: [UInt8], as key: String, scope: String? = nil, policy: Policy = .enabled
    ) throws -> String {
        let places = RuntimePlaces(environment: Environment(environment))
        let caches = Caches(
            settings: CacheSettings(root: cacheRoot, places: places), interruption: Interruption())
        defer { caches.close() }
        guard case .cache(let cache) = try caches.storage(policy, scope: scope) else {
            throw UsageFailure("the policy stores nothing")
        }
        return try cache.store(MemorySource(bytes), key: CacheKey(printed: key)).entry.path
    }
}
