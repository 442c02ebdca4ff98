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
        case .bypass: nil
        }
    }

    /// Returns the content of an address, from the cache if it is fresh. Throws as `CacheStore.fetch`.
    ///
    /// - Parameters:
    ///   - key: by default the key of the request's address.
    ///   - inspect: by default requires a complete picture or movie.
    ///   - expiry: applies to existing entries too; by default as in the settings.
    ///   - watcher: receives the body during the download.
    ///   - sharesWithCredentials, revalidatesLater: see `CacheStore.fetch`.
    public func fetch(
        _ request: HTTPRequest, key: CacheKey? = nil, client: HTTPClient, inspect: Inspection? = nil,
        expiry: Expiry? = nil, watcher: (any BodyWatcher)? = nil, sharesWithCredentials: Bool = false,
        revalidatesLater: Bool = false
    ) throws -> (entry: Entry, status: CacheStatus) {
        switch self {
        case .cache(let cache):
            try cache.fetch(
                request, key: key, client: client, inspect: inspect, expiry: expiry, watcher: watcher,
                sharesWithCredentials: sharesWithCredentials, revalidatesLater: revalidatesLater)
        case .bypass(let bypass): (try bypass.fetch(request, key: key, client: client, inspect: inspect), .bypass)
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
        case .bypass(let bypass): (try bypass.store(source, key: key, inspect: inspect), .bypass)
        }
    }
}
