import Fetch
import HTTP
import Store
import Support

/// Operations that work both with and without a cache.
extension Storage {
    /// Nil if the cache is bypassed, so that nothing is ever found.
    public var cache: CacheStore? {
        switch self {
        case .cache(let cache): cache
        case .ephemeral: nil
        }
    }

    /// Returns a picture, from the cache if it is fresh. Throws as `CacheStore.fetch`.
    public func fetch(
        _ request: FetchRequest, client: HTTPClient, watcher: (any BodyWatcher)? = nil
    ) throws -> (entry: Entry, status: CacheStatus) {
        switch self {
        case .cache(let cache): try cache.fetch(request, client: client, watcher: watcher)
        case .ephemeral(let store): (try store.fetch(request, client: client), .bypass)
        }
    }

    /// Copies bytes from a file or from memory. Throws as `CacheStore.store`.
    ///
    /// - Parameters:
    ///   - inspect: by default requires a complete picture or movie.
    ///   - expiry: by default as in the settings.
    public func store(
        _ source: some ByteSource, key: CacheKey, inspect: Inspection? = nil, expiry: Expiry? = nil
    ) throws -> (entry: Entry, status: CacheStatus) {
        switch self {
        case .cache(let cache): try cache.store(source, key: key, inspect: inspect, expiry: expiry)
        case .ephemeral(let store): (try store.store(source, key: key, inspect: inspect), .bypass)
        }
    }
}
