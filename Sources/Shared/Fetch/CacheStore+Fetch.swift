import HTTP
import Store
import Support

/// A picture to fetch.
public struct FetchRequest: Sendable {
    /// Its headers are sent and not stored.
    public var http: HTTPRequest
    /// By default the key of the request's address.
    public var key: CacheKey?
    /// The expiry of a new or existing entry; by default from the settings.
    public var expiry: Expiry?
    /// By default the inspection of the cache.
    public var inspect: Inspection?
    /// Whether the remote gets the answer to a request with credentials, because it is the same for all users.
    public var sharesWithCredentials = false
    /// Whether the caller fetches again, without this, if `mustRevalidateLater` returns true.
    public var revalidatesLater = false

    public init(_ http: HTTPRequest, key: CacheKey? = nil, expiry: Expiry? = nil, inspect: Inspection? = nil) {
        self.http = http
        self.key = key
        self.expiry = expiry
        self.inspect = inspect
    }
}

extension CacheStore {
    /// Returns a picture from the cache if it is fresh, else from its server. Concurrent requests for a key in any
    /// thread or process cause a single download.
    ///
    /// Bytes are inspected before they are stored. An expired entry is revalidated if it has validators, and served as
    /// `stale` with a warning if the server fails temporarily. The next attempt or call continues an interrupted
    /// transfer if the server permits it (see `Download`). Memory does not grow with the body. If the scope is purged
    /// or another scope becomes current, the call ends within half a second with `CacheFailure.scopeChanged`.
    ///
    /// Definite failures are cached (`NegativeTTL`), unless `refreshes` is set or the request has credentials or fields
    /// of its user.
    ///
    /// Throws `FetchFailure`, the errors of the inspection, `NegativeAnswer`, `CacheFailure`, `SystemFailure`,
    /// `Cancelled`.
    ///
    /// - Parameter watcher: observes the body if this call downloads it.
    public func fetch(
        _ request: FetchRequest, client: HTTPClient, watcher: (any BodyWatcher)? = nil
    ) throws -> (entry: Entry, status: CacheStatus) {
        let url = request.http.url
        let key = try request.key ?? CacheKey(url: url, secrets: KeySecrets(of: settings, makes: true))
        return try observed(.fetch, key, url: url.redacted) {
            do {
                return try FetchTask(cache: self, fetch: request, key: key, client: client, watcher: watcher).run()
            } catch {
                // A cached failure was counted when it occurred.
                if !(error is Cancelled || error is NegativeAnswer) {
                    index.count(in: scope) { $0.add(failure: failure(of: error)) }
                }
                throw error
            }
        }
    }

    /// Whether a fetch served an expired entry and left its revalidation to the caller.
    public func mustRevalidateLater(_ fetched: (entry: Entry, status: CacheStatus)) -> Bool {
        fetched.status == .stale && settings.respectsCacheControl && !settings.isOffline
            && fetched.entry.directives.usableUntil.map { clock.now() < $0 } ?? false
    }

    /// Stores answers with `no-store`.
    var ephemeralStore: EphemeralStore {
        EphemeralStore(settings: settings, scope: scope, inspect: inspect, clock: clock, interruption: interruption)
    }
}

extension EphemeralStore {
    /// Fetches a picture into an ephemeral file. Interrupted attempts are not continued. Throws `FetchFailure`, the
    /// errors of the inspection, `CacheFailure`, `SystemFailure`, `Cancelled`.
    public func fetch(_ fetch: FetchRequest, client: HTTPClient) throws -> Entry {
        var request = fetch.http
        let key = fetch.key ?? CacheKey(url: request.url)
        if settings.isOffline { throw CacheFailure.offline(key: key.text) }
        request.acceptsCompression = false
        request.rangeStart = nil
        return try interruption.during {
            let file = try begin()
            _ = try client.get(request) { event in
                switch event {
                case .head: try file.restart()
                case .body(let bytes): try file.write(bytes)
                case .pause: break
                }
            } check: { response in
                try response.requireEnd { _ = try (fetch.inspect ?? inspect)(file.reopened()) }
            }
            return try finish(file, key: key, url: request.url.redacted, inspect: fetch.inspect)
        }
    }
}
