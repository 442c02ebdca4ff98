import HTTP
import Store
import Support

extension CacheStore {
    /// Gives the picture at an address: from the cache where it is fresh, else from its server, which is asked once
    /// however many threads and processes want the same key.
    ///
    /// What arrives is inspected before it is stored. An expired entry is revalidated where its server gave something
    /// to do so by, and handed out as `stale`, with a warning, where the server fails for a time. A transfer that
    /// broke off is continued by the next attempt or call where the server allows that (see `Download`). Memory does
    /// not grow with the body. Where the scope is purged meanwhile, or switched away from, it ends within half a second
    /// with `CacheFailure.scopeChanged`.
    ///
    /// A definite failure is remembered, and given again for a while (`NegativeTTL`), unless `refreshes` is set; not of
    /// a request with credentials or fields of its own.
    ///
    /// - Parameters:
    ///   - request: its headers are sent and not stored.
    ///   - key: by default that of the request's address.
    ///   - inspect: by default the cache's own inspection.
    ///   - expiry: when it expires, also if it is there already; by default as the settings say.
    ///   - watcher: sees the body while it arrives; not where there is nothing to fetch, or somebody else does so.
    ///   - sharesWithCredentials: whether the remote gets what comes for a request with credentials.
    ///   - revalidatesLater: whether the caller calls again, without this, if `mustRevalidateLater` says so.
    /// Throws `FetchFailure`, what the inspection throws, `NegativeAnswer`, `CacheFailure`, `SystemFailure`,
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
                // A failure that is given again was counted when it came.
                if !(error is Cancelled || error is NegativeAnswer) {
                    index.count(in: scope) { $0.add(failure: failure(of: error)) }
                }
                throw error
            }
        }
    }

    /// Returns whether a fetch served an expired entry and left its revalidation for later.
    public func mustRevalidateLater(_ fetched: (entry: Entry, status: CacheStatus)) -> Bool {
        fetched.status == .stale && settings.respectsCacheControl && !settings.isOffline
            && fetched.entry.directives.usableUntil.map { clock.now() < $0 } ?? false
    }

    /// Takes what servers want nobody to keep.
    var bypass: Bypass {
        Bypass(settings: settings, scope: scope, inspect: inspect, clock: clock, interruption: interruption)
    }
}
