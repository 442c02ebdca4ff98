import Cache
import HTTP
import Support

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
    /// Throws `GIFFailure`, `FetchFailure`, `CacheFailure`, `SystemFailure`, `Cancelled`.
    public func put(_ gif: ExerciseGIF) throws -> Item {
        do {
            let key = try CacheKey(custom: gif.cacheKey)
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
        } catch {
            throw service.failure(of: error, for: gif)
        }
    }

    /// What `put` would give, where that takes microseconds: the GIF is there and fresh. See `ImageCache.immediately`.
    func immediately(_ gif: ExerciseGIF) -> Item? {
        guard let key = try? CacheKey(custom: gif.cacheKey), let request = try? service.imageRequest(for: gif),
            case .cache(let cache)? = try? caches.place(for: request.url),
            let entry = cache.immediately(key, asFetch: true), let facts = (try? GIFFacts(of: entry)) ?? nil
        else { return nil }
        return Item(entry: entry, status: .hit, facts: facts)
    }

    private static let inspect: Inspection = { source in
        let facts = try GIFAcceptance.inspect(source)
        return InspectedPicture(format: .gif, upright: facts.size, details: facts.note)
    }

    /// nil where the entry that was found is unreadable as a GIF.
    private func fetch(_ request: HTTPRequest, _ key: CacheKey, in cache: ImageCache) throws -> Item? {
        let (entry, status) = try cache.fetch(request, key: key, client: client, inspect: Self.inspect)
        return try GIFFacts(of: entry).map { Item(entry: entry, status: status, facts: $0) }
    }
}
