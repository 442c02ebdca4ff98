import CacheTools
import Fetch
import HTTP
import Records
import Store
import Support

/// The GIFs of exercises in the cache that all tools share. All methods block, and are safe to call on any thread.
public struct GIFCache: Sendable {
    public typealias Item = (entry: Entry, status: CacheStatus)

    let caches: Caches
    private let service: ExerciseService
    private let client: HTTPClient
    /// The expiry of new and cached GIFs, or nil for the expiry in the settings.
    let expiry: Expiry?
    private let quota: ServiceQuota
    private let availability = Monitor(Availability())

    /// The default expiry is a year: the GIF of an id does not change, so revalidation is rarely useful.
    public static let usualExpiry = Expiry.after(.seconds(365 * 86_400))

    /// The state of the service in this run.
    private struct Availability {
        /// The failure because of which the run makes no more requests.
        var refusal: GIFFailure?
        /// The number of consecutive requests that could not connect, each after all retries.
        var failures = 0
    }

    /// The number of consecutive connection failures after which the run makes no more requests. Without the limit, a
    /// run over a thousand exercises would wait for a thousand failures. Even if half of all connections fail, five
    /// failures in a row are unlikely.
    private static let failureLimit = 5

    /// - Parameters:
    ///   - client: must use `ExerciseTransport`, which corrects peculiarities of the service.
    ///   - quota: the quota that the client's transport updates.
    public init(
        caches: Caches, service: ExerciseService, client: HTTPClient, expiry: Expiry? = nil,
        quota: ServiceQuota = ServiceQuota()
    ) {
        self.caches = caches
        self.service = service
        self.client = client
        self.expiry = expiry
        self.quota = quota
    }

    /// Returns the cached GIF if it is fresh. Otherwise downloads it from the service, and caches it if `GIFAcceptance`
    /// accepts it. If the service cannot be reached, returns an expired GIF with the status `stale`. If the policy
    /// disables the cache, downloads the GIF to a temporary file (`bypass`).
    ///
    /// If the service has refused the key, or could not be reached several times in a row, makes no more requests and
    /// returns only cached GIFs, even expired GIFs.
    ///
    /// Requests at most as many expired GIFs as `ServiceQuota` allows, and returns all others as `stale`. If an
    /// expired GIF is requested, its status is `revalidated`, whether or not the answer contains a body.
    ///
    /// Throws `GIFFailure`, `FetchFailure`, `CacheFailure`, `SystemFailure`, `Cancelled`.
    ///
    /// - Parameter gifURL: see `ExerciseService.imageRequest`.
    public func put(_ gif: ExerciseGIF, at gifURL: String? = nil) throws -> Item {
        if let refusal = availability.withLock({ $0.refusal }) {
            guard let item = try cached(gif) else { throw refusal }
            return item
        }
        let settings = caches.settings
        let known = try settings.isOffline || settings.refreshes ? nil : status(of: gif)
        do {
            // Do not call `note`: no request was made, so the availability of the service did not change.
            if known == .stale, !quota.takeRevalidation(),
                let item = try cached(gif)
            {
                return item
            }
            let isUnknown = gifURL == nil && service.isOpen && known != .hit && !settings.isOffline
            var item = try ask(gif, at: isUnknown ? find(gif.id) : gifURL)
            note(item.status)
            if known == .stale, item.status == .miss { item.status = .revalidated }
            return item
        } catch {
            let failure = service.failure(of: error, for: gif)
            note(failure)
            // `ask` returns an expired GIF if its request fails, but `find` does not.
            if known == .stale, (error as? FetchFailure)?.isTransient == true, let item = try cached(gif) {
                return item
            }
            throw failure
        }
    }

    private func status(of gif: ExerciseGIF) throws -> CacheStatus? {
        guard let store = try store(of: gif), let entry = try store.peek(gif.key) else { return nil }
        return status(of: entry, in: store)
    }

    private func status(of entry: Entry, in store: CacheStore) -> CacheStatus {
        store.status(of: entry.expiring(expiry, respectsServer: caches.settings.respectsCacheControl))
    }

    private func ask(_ gif: ExerciseGIF, at gifURL: String?) throws -> Item {
        var request = try service.imageRequest(for: gif, at: gifURL)
        request.netrc = client.passwords
        // The policy must not depend on `gifURL`, because commands that only read the cache do not know this address.
        let storage = try caches.storage(for: service.address(of: gif))
        var fetch = try FetchRequest(request, key: gif.key, expiry: expiry, inspect: Self.inspect)
        // The service returns the same GIF for every API key.
        fetch.sharesWithCredentials = true
        for _ in 0..<2 {
            let item = try storage.fetch(fetch, client: client)
            if try GIFFacts(of: item.entry) != nil { return item }
            // The cached file is not a GIF, so treat it as absent.
            _ = try storage.cache?.remove(item.entry)
        }
        throw GIFFailure.corrupt("the cached file was modified")
    }

    /// Requests the address of an exercise's GIF from the open version of the service.
    private func find(_ id: ExerciseID) throws -> String {
        let body = try client.data(service.exerciseRequest(id)).1
        guard let record = try? Record(parsing: body), let gifURL = try OpenAnswer(record).gifURL else {
            throw GIFFailure.notAGIF("an answer without a gifUrl")
        }
        return gifURL
    }

    private func cached(_ gif: ExerciseGIF) throws -> Item? {
        guard let cache = try store(of: gif), let entry = try cache.lookup(gif.key),
            try GIFFacts(of: entry) != nil
        else { return nil }
        return (entry, status(of: entry, in: cache))
    }

    /// Returns whether the cached GIF is fresh, so that `put` would make no request. Starts no lease. Throws
    /// `CacheFailure`, `Cancelled`.
    public func isFresh(_ gif: ExerciseGIF) throws -> Bool { try status(of: gif) == .hit }

    /// Returns the cache for a GIF, or nil if the policy disables caching.
    func store(of gif: ExerciseGIF) throws -> CacheStore? { try caches.storage(for: service.address(of: gif)).cache }

    private func note(_ status: CacheStatus) {
        switch status {
        case .hit, .kept: break
        case .stale: noteUnreached()
        case .miss, .revalidated, .bypass: availability.withLock { $0.failures = 0 }
        }
    }

    private func note(_ failure: any Error) {
        switch failure {
        case let reason as GIFFailure where reason.isOfKey: availability.withLock { $0.refusal = reason }
        case let reason as FetchFailure where reason.isOutOfReach: noteUnreached()
        case is FetchFailure, is GIFFailure: availability.withLock { $0.failures = 0 }
        default: break
        }
    }

    private func noteUnreached() {
        guard !caches.settings.isOffline else { return }
        availability.withLock { state in
            state.failures += 1
            if state.failures >= Self.failureLimit { state.refusal = state.refusal ?? .unreachable }
        }
    }

    static let inspect: Inspection = { source in
        let facts = try GIFAcceptance.inspect(source)
        return FileFacts(format: .gif, upright: facts.size, details: facts.note)
    }
}
