import Fetch
import HTTP
import Store
import Support

extension Storage {
    /// The cache, or nil if the policy bypasses it.
    public var cache: CacheStore? {
        switch self {
        case .cache(let cache): cache
        case .ephemeral: nil
        }
    }

    /// Returns a picture from the cache if it is fresh, otherwise fetches it. Throws the errors of `CacheStore.fetch`.
    public func fetch(
        _ request: FetchRequest, client: HTTPClient, watcher: (any BodyWatcher)? = nil
    ) throws -> (entry: Entry, status: CacheStatus) {
        switch self {
        case .cache(let cache): try cache.fetch(request, client: client, watcher: watcher)
        case .ephemeral(let store): (try store.fetch(request, client: client), .bypass)
        }
    }

    /// Stores bytes from a file or from memory. By default, the bytes must be a complete picture or movie. Throws the
    /// errors of `CacheStore.store`.
    public func store(
        _ source: some ByteSource, key: CacheKey, inspect: Inspection? = nil, expiry: Expiry? = nil
    ) throws -> (entry: Entry, status: CacheStatus) {
        switch self {
        case .cache(let cache): try cache.store(source, key: key, inspect: inspect, expiry: expiry)
        case .ephemeral(let store): (try store.store(source, key: key, inspect: inspect), .bypass)
        }
    }
}
