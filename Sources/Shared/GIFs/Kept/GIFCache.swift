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
    public typealias Item = (entry: Entry, status: CacheStatus)

    let caches: Caches
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
        var request = try service.imageRequest(for: gif)
        request.netrc = client.passwords
        let storage = try caches.storage(for: request.url)
        for _ in 0..<2 {
            // The service has the same GIF for every key.
            let item = try storage.fetch(
                request, key: gif.key, client: client, inspect: Self.inspect, sharesWithCredentials: true)
            if try GIFFacts(of: item.entry) != nil { return item }
            // What was kept under this key is no GIF after all, so it counts as absent.
            try storage.cache?.remove(gif.key)
        }
        throw GIFFailure.corrupt("it changed on the disk")
    }

    /// What is there without asking, expired or not.
    private func kept(_ gif: ExerciseGIF) throws -> Item? {
        guard let cache = try caches.storage(for: service.address(of: gif)).cache,
            let entry = try cache.lookup(gif.key),
            try GIFFacts(of: entry) != nil
        else { return nil }
        return (entry, cache.status(of: entry))
    }

    /// Whether `put` would make no request for a GIF. Hands nothing out. Throws `CacheFailure` if the index cannot be
    /// used, and `Cancelled` if the run is stopped while others keep it busy.
    public func isFresh(_ gif: ExerciseGIF) throws -> Bool {
        guard let cache = try caches.storage(for: service.address(of: gif)).cache, let entry = try cache.peek(gif.key)
        else { return false }
        return cache.status(of: entry) == .hit
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

    static let inspect: Inspection = { source in
        let facts = try GIFAcceptance.inspect(source)
        return FileFacts(format: .gif, upright: facts.size, details: facts.note)
    }
}
