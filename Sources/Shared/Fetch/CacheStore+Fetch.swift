import HTTP
import Store
import Support

extension CacheStore {
    /// Returns the picture at an address, from the cache if it is fresh, else from its server. Concurrent requests for
    /// a key in any thread or process cause a single download.
    ///
    /// Bytes are inspected before they are stored. An expired entry is revalidated if it has validators, and served as
    /// `stale` with a warning if the server fails temporarily. The next attempt or call continues an interrupted
    /// transfer if the server permits it (see `Download`). Memory does not grow with the body. If the scope is purged
    /// or another scope becomes current, the call ends within half a second with `CacheFailure.scopeChanged`.
    ///
    /// Definite failures are cached (`NegativeTTL`), unless `refreshes` is set or the request has credentials or fields
    /// of its user.
    ///
    /// - Parameters:
    ///   - request: its headers are sent and not stored.
    ///   - key: by default the key of the request's address.
    ///   - inspect: by default the inspection of the cache.
    ///   - expiry: the expiry of a new or existing entry; by default from the settings.
    ///   - watcher: observes the body if this call downloads it.
    ///   - sharesWithCredentials: whether the remote gets the answer to a request with credentials.
    ///   - revalidatesLater: whether the caller calls again, without this, if `mustRevalidateLater` returns true.
    ///
    /// Throws `FetchFailure`, the errors of the inspection, `NegativeAnswer`, `CacheFailure`, `SystemFailure`,
    /// `Cancelled`.
    public func fetch(
        _ request: HTTPRequest, key: CacheKey? = nil, client: HTTPClient, inspect: Inspection? = nil,
        expiry: Expiry? = nil, watcher: (any BodyWatcher)? = nil, sharesWithCredentials: Bool = false,
        revalidatesLater: Bool = false
    ) throws -> (entry: Entry, status: CacheStatus) {
        let key = try key ?? CacheKey(url: request.url, secrets: KeySecrets(of: settings, makes: true))
        return try observed(.fetch, key, url: request.url.redacted) {
            do {
                return try FetchTask(
                    cache: self, request: request, key: key, client: client, inspect: inspect ?? self.inspect,
                    expiry: expiry ?? settings.expiry, watcher: watcher,
                    sharesWithCredentials: sharesWithCredentials, revalidatesLater: revalidatesLater
                ).run()
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
    var bypass: Bypass {
        Bypass(settings: settings, scope: scope, inspect: inspect, clock: clock, interruption: interruption)
    }
}

extension Bypass {
    /// Fetches an address into an ephemeral file. Interrupted attempts are not continued. Throws `FetchFailure`, the
    /// errors of the inspection, `CacheFailure`, `SystemFailure`, `Cancelled`.
    ///
    /// - Parameters:
    ///   - key: by default the key of the request's address.
    ///   - inspect: by default requires a complete picture or movie.
    public func fetch(
        _ request: HTTPRequest, key: CacheKey? = nil, client: HTTPClient, inspect: Inspection? = nil
    ) throws -> Entry {
        let key = key ?? CacheKey(url: request.url)
        if settings.isOffline { throw CacheFailure.offline(key: key.text) }
        var request = request
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
                try response.requireEnd { _ = try (inspect ?? self.inspect)(file.reopened()) }
            }
            return try finish(file, key: key, url: request.url.redacted, inspect: inspect)
        }
    }
}
