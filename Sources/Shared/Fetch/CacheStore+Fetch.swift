import HTTP
import Store
import Support

/// A picture to fetch.
public struct FetchRequest: Sendable {
    /// The request. Its header fields are sent, but not stored.
    public var http: HTTPRequest
    /// Nil to use the key of the request's address.
    public var key: CacheKey?
    /// The expiry of a new or existing entry; nil for the expiry in the settings.
    public var expiry: Expiry?
    /// Nil to use the cache's inspection.
    public var inspect: Inspection?
    /// Whether to upload the answer to the remote even if the request has credentials, because all users get the same
    /// answer.
    public var sharesWithCredentials = false
    /// Whether an expired entry may be returned if the server permits it (RFC 5861 §3). If `mustRevalidateLater` then
    /// returns true, the caller must fetch again with `revalidatesLater` set to false.
    public var revalidatesLater = false

    public init(_ http: HTTPRequest, key: CacheKey? = nil, expiry: Expiry? = nil, inspect: Inspection? = nil) {
        self.http = http
        self.key = key
        self.expiry = expiry
        self.inspect = inspect
    }
}

extension CacheStore {
    /// Returns a picture from the cache if it is fresh, otherwise from its server. Concurrent requests for a key in any
    /// thread or process cause a single download.
    ///
    /// Bytes are inspected before they are stored. An expired entry is revalidated if it has validators, and served as
    /// `stale` with a warning if the server fails temporarily. The next attempt or call resumes an interrupted transfer
    /// if the server permits it (see `Download`). Memory use does not grow with the body. If the scope is purged or
    /// another scope becomes current, the call ends within half a second with `CacheFailure.scopeChanged`.
    ///
    /// Permanent failures are cached (`NegativeTTL`), unless `refreshes` is set, or the request has credentials or
    /// header fields from the user.
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
                // A cached failure was already counted when it occurred.
                if !(error is Cancelled || error is NegativeAnswer) {
                    index.count(in: scope) { $0.add(failure: failure(of: error)) }
                }
                throw error
            }
        }
    }

    /// Whether a fetch returned an expired entry that the caller must revalidate, see `FetchRequest.revalidatesLater`.
    public func mustRevalidateLater(_ fetched: (entry: Entry, status: CacheStatus)) -> Bool {
        fetched.status == .stale && settings.respectsCacheControl && !settings.isOffline
            && fetched.entry.directives.staleWhileRevalidateUntil.map { clock.now() < $0 } ?? false
    }

    /// The store for answers with `no-store`.
    var ephemeralStore: EphemeralStore {
        EphemeralStore(settings: settings, scope: scope, inspect: inspect, clock: clock, interruption: interruption)
    }
}

extension EphemeralStore {
    /// Fetches a picture into an ephemeral file. Interrupted attempts are not resumed. Throws `FetchFailure`, the
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
