import CacheTools
import Fetch
import Records
import Store
import Support

/// Gives each record's exercise GIF, from the service where it is not in the cache: the work of `gif-cache put` and
/// `sync`.
///
/// A record whose GIF cannot be had goes on with a placeholder, so that there is something to show; it
/// bears the error all the same.
public struct GIFTool: CacheTool {
    public let name = "gif-cache"
    /// Lets requests begin no more often than that.
    public var pacing: StartPacing?
    /// Where copies go under names of the user's choice; nil for none. Placeholders are not copied.
    public var copies: OriginalCopies?
    private let cache: GIFCache
    private let naming: GIFNaming
    private let placeholder: GIFPlaceholder?
    private let tally = Monitor(PutCounts())

    /// - Parameters:
    ///   - naming: only the resolution that is wanted most is asked for.
    ///   - placeholder: for records whose GIF cannot be had; nil leaves `path` out of them.
    public init(cache: GIFCache, naming: GIFNaming, placeholder: GIFPlaceholder?) {
        self.cache = cache
        self.naming = naming
        self.placeholder = placeholder
    }

    /// What has come of all records so far.
    public var counts: PutCounts { tally.withLock { $0 } }

    public func prepare(_ job: RecordJob) -> Prepared { prepare([job])[0] }

    /// Answers from the cache what it has, and is fresh.
    public func prepare(_ jobs: [RecordJob]) -> [Prepared] {
        cache.caches.prepare(jobs, asFetch: true) { job in
            let lookup = copies == nil ? try naming.keys(of: job).first : nil
            let turn = copies?.turn()
            return (
                lookup, cache.expiry,
                { record, run in
                    defer { turn?.end() }
                    let gif = try naming.wanted(by: job)
                    let store = try cache.store(of: gif)
                    if let store, let kept = try copies?.kept(record, gif.key, in: store) {
                        record = kept
                        return tally.update { $0.add(.kept) }
                    }
                    try pacing?.take()
                    let item = try cache.put(gif, at: naming.gifURL(of: job))
                    naming.set(item.entry, status: item.status, in: &record)
                    try copies?.add(item.entry, to: &record, in: store, turn, run)
                    tally.update { $0.add(item.status) }
                }
            )
        } done: { entry, record in
            guard (try? naming.accepts(entry)) == true else { return false }
            naming.set(entry, status: .hit, in: &record)
            tally.update { $0.add(.hit) }
            return true
        }
    }

    /// Puts the placeholder in the place of the GIF that could not be had.
    public func retract(_ record: inout Record, argument: String?) {
        record.removePlace()
        if copies != nil { record.removePath("file") }
        placeholder?.set(in: &record)
        let hasPlaceholder = record.hasPath("path")
        tally.update { counts in
            if hasPlaceholder { counts.placeholders += 1 } else { counts.failed += 1 }
        }
    }
}
