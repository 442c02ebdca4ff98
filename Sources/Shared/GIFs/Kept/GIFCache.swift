import CacheTools
import Fetch
import HTTP
import Records
import Store
import Support

/// The GIFs of exercises in the cache that all tools share: its scopes, expiry, capacity and single flight are theirs
/// too.
///
/// All calls block, and may come from any number of threads. How many do so at once is the caller's to limit.
public struct GIFCache: Sendable {
    public typealias Item = (entry: Entry, status: CacheStatus)

    let caches: Caches
    private let service: ExerciseService
    private let client: HTTPClient
    /// When GIFs expire; nil for the expiry of the settings.
    let expiry: Expiry?
    private let quota: ServiceQuota
    private let standing = Monitor(Standing())
    private let revalidations = Monitor(RevalidationBudget())

    /// A GIF of an id does not change, so that there is little reason to ask again.
    public static let usualExpiry = Expiry.after(.seconds(365 * 86_400))

    /// How the service has answered in this run.
    private struct Standing {
        /// Why it is not asked any more.
        var refusal: GIFFailure?
        /// How many times in a row it could not be reached, each with all repetitions of a request.
        var unreached = 0
    }

    /// How many times in a row the service may be out of reach until it counts as such for the rest of the run: else a
    /// list of a thousand would wait for each. More than come together by chance where half the network is gone.
    private static let patience = 5

    /// - Parameters:
    ///   - client: asks over `ExerciseTransport`, which knows the service's habits.
    ///   - expiry: when new and cached GIFs expire; by default as in the settings.
    ///   - quota: the one that the client's transport updates.
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

    /// Gives a GIF from the cache where it is fresh, else from the service; only a GIF that `GIFAcceptance` takes is
    /// kept. Without the service, an expired one is given as `stale`. Where the policy says so, the GIF is fetched past
    /// the cache instead (`bypass`).
    ///
    /// Where the service has refused the key, or could not be reached several times in a row, it is not asked again: it
    /// would be the same for every exercise. What is there is given then, fresh or not.
    ///
    /// Requests expired GIFs only as often as `RevalidationBudget` allows, and returns the others as `stale`. The status
    /// of a requested one is `revalidated`, with or without a body.
    ///
    /// - Parameter gifURL: see `ExerciseService.imageRequest`.
    ///
    /// Throws `GIFFailure`, `FetchFailure`, `CacheFailure`, `SystemFailure`, `Cancelled`.
    public func put(_ gif: ExerciseGIF, at gifURL: String? = nil) throws -> Item {
        if let refusal = standing.withLock({ $0.refusal }) {
            guard let item = try kept(gif) else { throw refusal }
            return item
        }
        let settings = caches.settings
        let known = try settings.isOffline || settings.refreshes ? nil : status(of: gif)
        do {
            // Returned without a request, which proves nothing about the service.
            if known == .stale, !mayRevalidate(), let item = try kept(gif) { return item }
            let isUnknown = gifURL == nil && service.isOpen && known != .hit && !settings.isOffline
            var item = try ask(gif, at: isUnknown ? find(gif.id) : gifURL)
            note(item.status)
            if known == .stale, item.status == .miss { item.status = .revalidated }
            return item
        } catch {
            let failure = service.failure(of: error, for: gif)
            note(failure)
            // `ask` serves an expired GIF itself, `find` does not.
            if known == .stale, (error as? FetchFailure)?.isTransient == true, let item = try kept(gif) { return item }
            throw failure
        }
    }

    /// Nil if it is not in the cache.
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
        // Not by `gifURL`, which commands that only look do not know.
        let storage = try caches.storage(for: service.address(of: gif))
        for _ in 0..<2 {
            // The service has the same GIF for every key.
            let item = try storage.fetch(
                request, key: gif.key, client: client, inspect: Self.inspect, expiry: expiry,
                sharesWithCredentials: true)
            if try GIFFacts(of: item.entry) != nil { return item }
            // What was kept under this key is no GIF after all, so it counts as absent.
            try storage.cache?.remove(gif.key)
        }
        throw GIFFailure.corrupt("it changed on the disk")
    }

    /// Asks the open version where the GIF of an exercise is.
    private func find(_ id: ExerciseID) throws -> String {
        let body = try client.data(service.exerciseRequest(id)).1
        guard let record = try? Record(parsing: body), let gifURL = try OpenAnswer(record).gifURL else {
            throw GIFFailure.notAGIF("something else than an exercise with a gifUrl")
        }
        return gifURL
    }

    /// What is there without asking, expired or not.
    private func kept(_ gif: ExerciseGIF) throws -> Item? {
        guard let cache = try store(of: gif), let entry = try cache.lookup(gif.key),
            try GIFFacts(of: entry) != nil
        else { return nil }
        return (entry, status(of: entry, in: cache))
    }

    /// Whether `put` would make no request for a GIF. Hands nothing out. Throws `CacheFailure` if the index cannot be
    /// used, and `Cancelled` if the run is stopped while others keep it busy.
    public func isFresh(_ gif: ExerciseGIF) throws -> Bool { try status(of: gif) == .hit }

    /// The cache of a GIF; nil if its policy is to keep nothing.
    func store(of gif: ExerciseGIF) throws -> CacheStore? { try caches.storage(for: service.address(of: gif)).cache }

    private func mayRevalidate() -> Bool { revalidations.withLock { $0.take(remaining: quota.remaining) } }

    private func note(_ status: CacheStatus) {
        switch status {
        case .hit, .kept: break
        case .stale: noteUnreached()
        case .miss, .revalidated, .bypass: standing.withLock { $0.unreached = 0 }
        }
    }

    private func note(_ failure: any Error) {
        switch failure {
        case let reason as GIFFailure where reason.isOfKey: standing.withLock { $0.refusal = reason }
        case let reason as FetchFailure where reason.isOutOfReach: noteUnreached()
        case is FetchFailure, is GIFFailure: standing.withLock { $0.unreached = 0 }
        default: break
        }
    }

    private func noteUnreached() {
        guard !caches.settings.isOffline else { return }
        standing.withLock { standing in
            standing.unreached += 1
            if standing.unreached >= Self.patience { standing.refusal = standing.refusal ?? .unreachable }
        }
    }

    static let inspect: Inspection = { source in
        let facts = try GIFAcceptance.inspect(source)
        return FileFacts(format: .gif, upright: facts.size, details: facts.note)
    }
}
