import CacheTools
import Fetch
import Records
import Store
import Support

/// Adds the GIF of the exercise to each record, from the cache or the service. Used by `gif-cache put` and `mirror`. A
/// record whose GIF is unavailable gets an error and a placeholder.
public struct GIFTool: CacheTool {
    public let name = "gif-cache"
    /// Limits the rate of requests.
    public var pacing: StartPacing?
    /// Copies the GIFs into `--output-dir`, or nil for no copies. Placeholders are not copied.
    public var copies: OriginalCopies?
    private let cache: GIFCache
    private let naming: GIFNaming
    private let placeholder: GIFPlaceholder?
    private let tally = Monitor(PutCounts())

    /// - Parameters:
    ///   - naming: determines the GIF of each record. Only its best resolution is requested.
    ///   - placeholder: replaces unavailable GIFs. If it is nil, their records have no `path`.
    public init(cache: GIFCache, naming: GIFNaming, placeholder: GIFPlaceholder?) {
        self.cache = cache
        self.naming = naming
        self.placeholder = placeholder
    }

    public var counts: PutCounts { tally.withLock { $0 } }

    public func prepare(_ job: RecordJob) -> Prepared { prepare([job])[0] }

    /// Completes the records whose GIF is cached and fresh.
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

    /// Replaces an unavailable GIF by the placeholder.
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
