import Fetch
import HTTP
import Store
import Support
import Tools

/// The GIFs of exercises in the cache that all tools share: its scopes, expiry, capacity and single flight are theirs
/// too.
///
/// All calls block, and may come from any number of threads. How many do so at once is the caller's to limit.
public struct GIFCache: Sendable {
    /// A GIF in the cache.
    public struct Item: Sendable {
        public let entry: Entry
        public let status: CacheStatus
        public let facts: GIFFacts
    }

    private let caches: Caches
    private let service: ExerciseService
    private let client: HTTPClient
    private let standing = Monitor(Standing())

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

    /// - Parameter client: asks over `ExerciseTransport`, which knows the service's habits.
    public init(caches: Caches, service: ExerciseService, client: HTTPClient) {
        self.caches = caches
        self.service = service
        self.client = client
    }

    /// Gives a GIF from the cache where it is fresh, else from the service; only a GIF that `GIFAcceptance` takes is
    /// kept. Without the service, an expired one is given as `stale`. Where the policy says so, the GIF is fetched past
    /// the cache instead (`bypass`).
    ///
    /// Where the service has refused the key, or could not be reached several times in a row, it is not asked again: it
    /// would be the same for every exercise. What is there is given then, fresh or not.
    ///
    /// Throws `GIFFailure`, `FetchFailure`, `CacheFailure`, `SystemFailure`, `Cancelled`.
    public func put(_ gif: ExerciseGIF) throws -> Item {
        if let refusal = standing.withLock({ $0.refusal }) {
            guard let item = try kept(gif) else { throw refusal }
            return item
        }
        do {
            let item = try ask(gif)
            note(item.status)
            return item
        } catch {
            let failure = service.failure(of: error, for: gif)
            note(failure)
            throw failure
        }
    }

    private func ask(_ gif: ExerciseGIF) throws -> Item {
        let key = try CacheKey(printed: gif.cacheKey)
        var request = try service.imageRequest(for: gif)
        request.netrc = client.passwords
        switch try caches.place(for: request.url) {
        case .cache(let cache):
            if let item = try fetch(request, key, in: cache) { return item }
            // What was kept under this key is no GIF after all, so it counts as absent.
            try cache.remove(key)
            if let item = try fetch(request, key, in: cache) { return item }
        case .bypass(let bypass):
            let entry = try bypass.fetch(request, key: key, client: client, inspect: Self.inspect)
            if let facts = try GIFFacts(of: entry) { return Item(entry: entry, status: .bypass, facts: facts) }
        }
        throw GIFFailure.corrupt("it changed on the disk")
    }

    /// What is there without asking, expired or not.
    private func kept(_ gif: ExerciseGIF) throws -> Item? {
        guard case .cache(let cache) = try caches.place(for: service.imageRequest(for: gif).url),
            let entry = try cache.lookup(CacheKey(printed: gif.cacheKey)), let facts = try GIFFacts(of: entry)
        else { return nil }
        return Item(entry: entry, status: cache.status(of: entry), facts: facts)
    }

    private func note(_ status: CacheStatus) {
        switch status {
        case .hit: break
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

    /// What `put` would give, where that takes microseconds: the GIF is there and fresh. See `CacheStore.immediately`.
    func immediately(_ gif: ExerciseGIF) -> Item? {
        guard let key = try? CacheKey(printed: gif.cacheKey), let request = try? service.imageRequest(for: gif),
            case .cache(let cache)? = try? caches.place(for: request.url),
            let entry = cache.immediately(key, asFetch: true), let facts = (try? GIFFacts(of: entry)) ?? nil
        else { return nil }
        return Item(entry: entry, status: .hit, facts: facts)
    }

    static let inspect: Inspection = { source in
        let facts = try GIFAcceptance.inspect(source)
        return FileFacts(format: .gif, upright: facts.size, details: facts.note)
    }

    /// nil if the entry that was found is unreadable as a GIF.
    private func fetch(_ request: HTTPRequest, _ key: CacheKey, in cache: CacheStore) throws -> Item? {
        let (entry, status) = try cache.fetch(request, key: key, client: client, inspect: Self.inspect)
        return try GIFFacts(of: entry).map { Item(entry: entry, status: status, facts: $0) }
    }
}
