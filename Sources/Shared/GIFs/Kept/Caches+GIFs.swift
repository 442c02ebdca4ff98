import CacheTools
import Fetch
import Formats
import Store
import Support

/// Operations on all GIFs of a scope. They apply to the caches on disk and in memory, because a change of the policy
/// does not move cached GIFs.
extension Caches {
    /// Lists the GIFs that `filter` accepts. Starts no leases, and needs constant memory. Throws `CacheFailure` if the
    /// index cannot be used, and `Cancelled`.
    ///
    /// - Parameter order: the order of the GIFs, or nil for any order, which is faster.
    public func gifs(
        _ filter: EntryFilter = EntryFilter(), resolution: Resolution? = nil, order: EntryOrder? = nil
    ) throws -> GIFListing {
        let filter = filter.ofGIFs(resolution)
        return GIFListing(sources: try all().map { ($0, try $0.entries(filter, order: order), nil) }, order: order)
    }

    /// Removes the given GIFs of an exercise and their variants, even if they are pinned or leased. Throws
    /// `CacheFailure.absent` if no given GIF is cached, and another `CacheFailure` if the index cannot be changed.
    ///
    /// - Parameter gifs: at least one GIF.
    public func remove(_ gifs: [ExerciseGIF], dryRun: Bool = false) throws -> EntrySum {
        var removal = EntrySum()
        for cache in try all() {
            for gif in gifs {
                guard let entry = try cache.peek(gif.key) else { continue }
                removal.add(try cache.remove(entry, dryRun: dryRun))
            }
        }
        if removal.entries > 0 { return removal }
        throw CacheFailure.absent(key: gifs.count == 1 ? gifs[0].cacheKey : ExerciseGIF.keyPrefix + gifs[0].id.text)
    }

    /// Removes the GIFs that `filter` accepts and their variants. Throws `CacheFailure` if the index cannot be changed.
    public func removeGIFs(
        _ filter: EntryFilter = EntryFilter(), resolution: Resolution? = nil, sparesPinned: Bool = true,
        dryRun: Bool = false
    ) throws -> RemovalReport {
        var removal = EntrySum()
        var pinned = 0
        for cache in try all() {
            let part = try cache.remove(filter.ofGIFs(resolution), sparesPinned: sparesPinned, dryRun: dryRun)
            removal.add(part.removal)
            pinned += part.pinned
        }
        return RemovalReport(removal, pinned: pinned, isDryRun: dryRun)
    }
}

extension EntryFilter {
    fileprivate func ofGIFs(_ resolution: Resolution? = nil) -> EntryFilter {
        var filter = self
        filter.keyPrefix = ExerciseGIF.keyPrefix
        if let resolution { filter.keySuffix = "@\(resolution)" }
        return filter
    }
}

/// Iterates over the GIFs of several caches. Includes damaged GIFs, which `verify` reports.
public struct GIFListing {
    /// The caches with remaining entries. `next` is an entry that was read but not returned yet, or nil.
    fileprivate var sources: [(cache: CacheStore, entries: EntryListing, next: Entry?)]
    fileprivate let order: EntryOrder?

    /// Returns the next GIF, or nil at the end. Throws `CacheFailure` if the index cannot be used, and `Cancelled`.
    public mutating func next() throws -> FoundEntry? {
        for index in sources.indices.reversed() where sources[index].next == nil {
            repeat {
                sources[index].next = try sources[index].entries.next()
            } while sources[index].next.map { $0.gif == nil } == true
            if sources[index].next == nil { sources.remove(at: index) }
        }
        let found = sources.enumerated().compactMap { index, source in
            source.next.map { (index: index, entry: FoundEntry($0, in: source.cache)) }
        }
        let least = found.min { a, b in order?.precedes(a.entry.entry, b.entry.entry) ?? false }
        if let least { sources[least.index].next = nil }
        return least?.entry
    }
}

extension Verification.Selection {
    /// Selects the GIFs. Besides the general checks, verifies that each file is a complete GIF of the size in its row.
    public static let gifs = Verification.Selection(EntryFilter().ofGIFs()) { try $0.gifFault(in: $1) }
}

extension Entry {
    /// The GIF that the entry contains, or nil if the entry is not a GIF.
    public var gif: ExerciseGIF? { key.flatMap(ExerciseGIF.init(cacheKey:)) }

    /// Checks a file whose length and digest match its row. Returns a description of the fault if the file is not a
    /// valid GIF or differs from the properties in the row, otherwise nil.
    func gifFault(in file: some ByteSource) throws -> String? {
        let facts: GIFFacts
        do {
            facts = GIFFacts(try GIFStructure.read(file))
        } catch let failure as FormatFailure {
            return "\(GIFFailure(failure).code): \(failure.message)"
        }
        if let width, let height, facts.size != PixelSize(width: width, height: height) {
            return "its canvas is \(facts.size), not \(width)x\(height)"
        }
        let note = details.flatMap(GIFFacts.init(note:))
        return note == nil || note == facts ? nil : "its properties differ from the index"
    }
}
