import Fetch
import Store
import Support
import Tools

/// All GIFs of a scope: listed, counted, removed.
extension KeptGIFs {
    /// The caches that may have GIFs, on the disk and in memory: policies change, and what was kept under an earlier
    /// one is still there.
    func all() throws -> [CacheStore] { try caches.all() }

    /// The entries of GIFs, among those that `filter` accepts.
    static func narrowed(_ filter: EntryFilter, _ resolution: Resolution?) -> EntryFilter {
        var filter = filter
        filter.keyPrefix = ExerciseGIF.keyPrefix
        if let resolution { filter.keySuffix = "@\(resolution)" }
        return filter
    }

    /// The GIFs of the scope that `filter` accepts, of one resolution or all, one after the other. Hands nothing out;
    /// memory does not grow with their number. Throws `CacheFailure` if the index cannot be used, and `Cancelled` if
    /// the run is stopped while others keep it busy.
    ///
    /// - Parameter order: nil for one without meaning, which costs least.
    public func list(
        _ filter: EntryFilter = EntryFilter(), resolution: Resolution? = nil, order: EntryOrder? = nil
    ) throws -> Listing {
        let filter = Self.narrowed(filter, resolution)
        return Listing(
            sources: try all().map { Listing.Source(cache: $0, entries: try $0.entries(filter, order: order)) },
            order: order)
    }

    /// Goes through GIFs.
    public struct Listing {
        fileprivate struct Source {
            let cache: CacheStore
            var entries: EntryListing
            /// Its next one, where that was looked at.
            var head: KeptGIF?

            mutating func advance() throws -> Bool {
                while let entry = try entries.next() {
                    guard let gif = entry.key.flatMap(ExerciseGIF.init(cacheKey:)) else { continue }
                    // One that is damaged is listed too; `verify` says what is wrong with it.
                    let facts = (try? GIFFacts(of: entry)) ?? nil
                    head = KeptGIF(gif: gif, entry: entry, facts: facts, cache: cache)
                    return true
                }
                return false
            }
        }

        /// The few caches that may have GIFs; one that has no more is dropped.
        fileprivate var sources: [Source]
        fileprivate let order: EntryOrder?

        /// Throws `CacheFailure` if the index cannot be used, and `Cancelled` if the run is stopped while others keep
        /// it busy.
        public mutating func next() throws -> KeptGIF? {
            // Without an order the first one is read to its end.
            let looked = order == nil ? 1 : sources.count
            for index in sources.indices.prefix(looked).reversed() where sources[index].head == nil {
                if try !sources[index].advance() { sources.remove(at: index) }
            }
            let heads = sources.indices.filter { sources[$0].head != nil }
            guard let first = heads.first else { return sources.isEmpty ? nil : try next() }
            let least = heads.dropFirst().reduce(first) { least, index in
                guard let order, let a = sources[index].head, let b = sources[least].head else { return least }
                return order.precedes(a.entry, b.entry) ? index : least
            }
            defer { sources[least].head = nil }
            return sources[least].head
        }
    }

    /// How many GIFs there are, and how many variants of them, posters among those. Reads every row of the scope.
    /// Throws `CacheFailure` if the index cannot be used, and `Cancelled` if the run is stopped while others keep it
    /// busy.
    public func size() throws -> GIFCacheSize {
        var size = GIFCacheSize()
        var filter = EntryFilter()
        filter.kinds = [.original, .variant]
        for cache in try all() {
            var entries = try cache.entries(Self.narrowed(filter, nil))
            while let entry = try entries.next() { size.add(entry) }
        }
        return size
    }

    /// Removes an exercise's GIF in one resolution or all, with what was made of it, wherever it is kept and whatever
    /// pins and leases it has. Throws `CacheFailure.absent` where there was none.
    public func remove(_ id: ExerciseID, _ resolution: Resolution? = nil, dryRun: Bool = false) throws -> Removal {
        var removal = Removal()
        let gifs = (resolution.map { [$0] } ?? Resolution.allCases).map { ExerciseGIF(id: id, resolution: $0) }
        for cache in try all() {
            for gif in gifs {
                guard let entry = try cache.peek(CacheKey(printed: gif.cacheKey)) else { continue }
                removal.add(try cache.remove(entry, dryRun: dryRun))
            }
        }
        guard removal.entries > 0 else {
            throw CacheFailure.absent(key: resolution == nil ? ExerciseGIF.keyPrefix + id.text : gifs[0].cacheKey)
        }
        return removal
    }

    /// Removes the GIFs of the scope that `filter` accepts, of one resolution or all, with what was made of them.
    ///
    /// Throws `CacheFailure` if the index or a file cannot be used or changed, and `Cancelled` if the run is stopped.
    public func remove(
        _ filter: EntryFilter, resolution: Resolution? = nil, sparesPinned: Bool = true, dryRun: Bool = false
    ) throws -> RemovalReport {
        var removal = Removal()
        var pinned = 0
        for cache in try all() {
            let part = try cache.remove(
                Self.narrowed(filter, resolution), sparesPinned: sparesPinned, dryRun: dryRun)
            removal.add(part.removal)
            pinned += part.pinned
        }
        return RemovalReport(removal, pinned: pinned, isDryRun: dryRun)
    }
}
