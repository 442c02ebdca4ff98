import Fetch
import Records
import Store
import Tools

/// The GIF of an exercise that is in the cache.
public struct KeptGIF: Sendable {
    public let gif: ExerciseGIF
    public let entry: Entry
    /// Nil only where the file cannot be read as a GIF.
    public let facts: GIFFacts?
    /// Where it is kept.
    let cache: CacheStore

    public var status: CacheStatus { cache.status(of: entry) }

    /// Pins it, or takes the pin off. Throws `CacheFailure.absent` where it has just gone.
    func pinned(_ isPinned: Bool) throws -> KeptGIF {
        guard let entry = try cache.setPinned(entry, isPinned) else { throw CacheFailure.absent(key: gif.cacheKey) }
        return KeptGIF(gif: gif, entry: entry, facts: facts, cache: cache)
    }
}

extension Record {
    /// Adds the fields `path`, `cache` and `gif`. The last one has `pinned` where the GIF is, as far as that is known.
    public mutating func setGIF(_ kept: KeptGIF) {
        setCached(kept.entry, status: kept.status)
        if let facts = kept.facts {
            set("gif", facts.field(resolution: kept.gif.resolution, isPinned: kept.entry.isPinned))
        }
    }
}
