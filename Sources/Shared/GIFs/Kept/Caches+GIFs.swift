import CacheTools
import Fetch
import Formats
import Store
import Support

/// All GIFs of a scope, on the disk and in memory: listed, removed. Policies change, and what was kept under
/// an earlier one is still there.
extension Caches {
    /// The GIFs that `filter` accepts, of one resolution or all, one after the other. Hands nothing out; memory does
    /// not grow with their number. Throws `CacheFailure` if the index cannot be used, and `Cancelled` if the run is
    /// stopped while others keep it busy.
    ///
    /// - Parameter order: nil for one without meaning, which costs least.
    public func gifs(
        _ filter: EntryFilter = EntryFilter(), resolution: Resolution? = nil, order: EntryOrder? = nil
    ) throws -> GIFListing {
        let filter = filter.ofGIFs(resolution)
        return GIFListing(
            sources: try all().map { ($0, try $0.entries(filter, order: order), nil) }, order: order)
    }

    /// Removes those GIFs of an exercise, with what was made of them, wherever they are kept and whatever pins and
    /// leases they have. Throws `CacheFailure.absent` if none of them was there, and other `CacheFailure` if the index
    /// cannot be used or changed.
    ///
    /// - Parameter gifs: at least one.
    public func remove(_ gifs: [ExerciseGIF], dryRun: Bool = false) throws -> Removal {
        var removal = Removal()
        for cache in try all() {
            for gif in gifs {
                guard let entry = try cache.peek(gif.key) else { continue }
                removal.add(try cache.remove(entry, dryRun: dryRun))
            }
        }
        if removal.entries > 0 { return removal }
        throw CacheFailure.absent(key: gifs.count == 1 ? gifs[0].cacheKey : ExerciseGIF.keyPrefix + gifs[0].id.text)
    }

    /// Removes the GIFs that `filter` accepts, of one resolution or all, with what was made of them. Throws
    /// `CacheFailure` if the index cannot be used or changed.
    public func removeGIFs(
        _ filter: EntryFilter = EntryFilter(), resolution: Resolution? = nil, sparesPinned: Bool = true,
        dryRun: Bool = false
    ) throws -> RemovalReport {
        var removal = Removal()
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
    /// The same for the GIFs among the entries alone, of one resolution or all.
    fileprivate func ofGIFs(_ resolution: Resolution? = nil) -> EntryFilter {
        var filter = self
        filter.keyPrefix = ExerciseGIF.keyPrefix
        if let resolution { filter.keySuffix = "@\(resolution)" }
        return filter
    }
}

/// Goes through the GIFs of several caches in one order. One that is damaged is listed too: `verify` says what is wrong
/// with it.
public struct GIFListing {
    /// Each cache that has more, what follows of it, and the next one, if that was looked at.
    fileprivate var sources: [(cache: CacheStore, entries: EntryListing, next: Entry?)]
    fileprivate let order: EntryOrder?

    /// Throws `CacheFailure` if the index cannot be used, and `Cancelled` if the run is stopped while others keep it
    /// busy.
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
    /// The GIFs alone: besides what holds for all entries, each must be a whole GIF, of the size that its row says.
    public static let gifs = Verification.Selection(EntryFilter().ofGIFs()) { try $0.gifFault(in: $1) }
}

extension Entry {
    /// The GIF that it is; nil if its key says otherwise.
    public var gif: ExerciseGIF? { key.flatMap(ExerciseGIF.init(cacheKey:)) }

    /// What is wrong with a file that is as its row has it: what `GIFAcceptance` refuses, and what records would tell
    /// wrongly of it.
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
        return note == nil || note == facts ? nil : "it is another GIF than the index says"
    }
}
