import Fetch
import HTTP
import Store
import Support

/// What is done alike in a cache and past it.
extension Storage {
    /// The cache; nil past it, where nothing is ever found.
    public var cache: CacheStore? {
        switch self {
        case .cache(let cache): cache
        case .bypass: nil
        }
    }

    /// Gives what is at an address, fetched unless it is there and fresh. Throws as `CacheStore.fetch` does.
    ///
    /// - Parameters:
    ///   - key: by default that of the request's address.
    ///   - inspect: by default a whole picture or movie.
    ///   - expiry: when it expires in a cache, also if it is there already; by default as the settings say.
    ///   - watcher: sees what arrives for a cache.
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

    /// Copies bytes from a file or from memory. Throws as `CacheStore.store` does.
    ///
    /// - Parameters:
    ///   - inspect: by default a whole picture or movie.
    ///   - expiry: when it expires in a cache; by default as the settings say.
    public func store(
        _ source: some ByteSource, key: CacheKey, inspect: Inspection? = nil, expiry: Expiry? = nil
    ) throws -> (entry: Entry, status: CacheStatus) {
        switch self {
        case .cache(let cache): try cache.store(source, key: key, inspect: inspect, expiry: expiry)
        case .bypass(let bypass): (try bypass.store(source, key: key, inspect: inspect), .bypass)
        }
    }
}
