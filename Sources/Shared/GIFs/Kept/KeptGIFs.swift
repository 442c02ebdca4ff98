import Fetch
import Store

/// The GIFs of exercises that the cache has, found without the network.
///
/// All calls may come from any number of threads. They throw `CacheFailure` and `SystemFailure`.
public struct KeptGIFs: Sendable {
    let caches: Caches
    private let service: ExerciseService

    /// - Parameter service: by whose address the policy goes; it is not asked.
    public init(caches: Caches, service: ExerciseService) {
        self.caches = caches
        self.service = service
    }

    /// The best GIF of an exercise that is there, expired or not. Throws `CacheFailure.absent` where there is none.
    ///
    /// - Parameter handingOut: whether its path is to be used; else it is only looked at, see `CacheStore.peek`.
    public func find(
        _ id: ExerciseID, _ choice: ResolutionChoice, handingOut: Bool = true
    ) throws -> KeptGIF {
        let wanted = ExerciseGIF(id: id, resolution: choice.wanted)
        for resolution in choice.inOrder {
            let gif = ExerciseGIF(id: id, resolution: resolution)
            guard let cache = try cache(of: gif) else { continue }
            let key = try CacheKey(printed: gif.cacheKey)
            if handingOut, let kept = immediately(gif, key, cache) { return kept }
            // Only a miss that is all there is to say is counted as one.
            guard let seen = try cache.peek(key), let entry = try handingOut ? cache.lookup(key) : seen,
                let facts = try GIFFacts(of: entry)
            else { continue }
            return KeptGIF(gif: gif, entry: entry, facts: facts, cache: cache)
        }
        if handingOut { _ = try cache(of: wanted)?.lookup(CacheKey(printed: wanted.cacheKey)) }
        throw CacheFailure.absent(key: wanted.cacheKey)
    }

    /// The wanted GIF where it can be handed out in microseconds; see `CacheStore.immediately`.
    func immediately(_ id: ExerciseID, _ choice: ResolutionChoice) -> KeptGIF? {
        let gif = ExerciseGIF(id: id, resolution: choice.wanted)
        guard let key = try? CacheKey(printed: gif.cacheKey), let cache = (try? cache(of: gif)) ?? nil
        else { return nil }
        return immediately(gif, key, cache)
    }

    private func immediately(_ gif: ExerciseGIF, _ key: CacheKey, _ cache: CacheStore) -> KeptGIF? {
        guard let entry = cache.immediately(key, asFetch: false), let facts = (try? GIFFacts(of: entry)) ?? nil
        else { return nil }
        return KeptGIF(gif: gif, entry: entry, facts: facts, cache: cache)
    }

    /// Whether `GIFCache.put` would make no request for it. Hands nothing out. Throws `CacheFailure` if the index
    /// cannot be used, and `Cancelled` if the run is stopped while others keep it busy.
    public func isFresh(_ gif: ExerciseGIF) throws -> Bool {
        guard let cache = try cache(of: gif), let entry = try cache.peek(CacheKey(printed: gif.cacheKey)) else {
            return false
        }
        return cache.status(of: entry) == .hit
    }

    /// Where a GIF is kept by its policy; nil for nowhere.
    private func cache(of gif: ExerciseGIF) throws -> CacheStore? {
        guard case .cache(let cache) = try caches.place(for: service.imageRequest(for: gif).url) else { return nil }
        return cache
    }
}
