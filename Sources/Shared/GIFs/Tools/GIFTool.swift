import Fetch
import Records
import Store
import Support
import Tools

/// Gives each record's exercise GIF, from the service where it is not in the cache: the work of `gif-cache put` and
/// `sync`.
///
/// A record whose GIF cannot be had goes on with a placeholder, so that there is something to show; it
/// bears the error all the same.
public struct GIFTool: CacheTool {
    /// What has come of the records.
    public struct Summary: Sendable, Equatable {
        public var hits = 0
        /// Fetched or revalidated.
        public var fetched = 0
        /// Expired, and the service could not be reached.
        public var stale = 0
        public var placeholders = 0
        /// Without GIF and placeholder.
        public var failed = 0

        public init() {}

        public var text: String {
            let stale = stale > 0 ? ", \(stale) stale" : ""
            return "\(hits) hit, \(fetched) fetched\(stale), \(placeholders) placeholder, \(failed) failed"
        }

        mutating func add(_ status: CacheStatus) {
            switch status {
            case .hit: hits += 1
            case .miss, .revalidated, .bypass: fetched += 1
            case .stale: stale += 1
            }
        }
    }

    public let name = "gif-cache"
    /// Lets requests begin no more often than that.
    public var pacing: StartPacing?
    private let cache: GIFCache
    private let naming: GIFNaming
    private let placeholder: GIFPlaceholder?
    private let counts = Monitor(Summary())

    /// - Parameters:
    ///   - naming: only the resolution that is wanted most is asked for.
    ///   - placeholder: for records whose GIF cannot be had; nil leaves `path` out of them.
    public init(cache: GIFCache, naming: GIFNaming, placeholder: GIFPlaceholder?) {
        self.cache = cache
        self.naming = naming
        self.placeholder = placeholder
    }

    /// What has come of all records so far.
    public var summary: Summary { counts.withLock { $0 } }

    /// Answers from the cache what it has, and is fresh. Throws `GIFFailure` if the job names no exercise.
    public func prepare(_ job: RecordJob) throws -> Prepared {
        let (id, resolution) = try naming.meant(by: job.argument, job.record)
        let gif = ExerciseGIF(id: id, resolution: resolution.wanted)
        if let item = cache.immediately(gif) {
            var record = job.record
            set(item, of: gif, in: &record)
            return .done(record)
        }
        return .work { record, _ in
            try pacing?.take()
            set(try cache.put(gif), of: gif, in: &record)
        }
    }

    /// Puts the placeholder in the place of the GIF that could not be had.
    public func retract(_ record: inout Record, argument: String?) {
        record.removePlace()
        placeholder?.set(in: &record)
        let hasPlaceholder = record.hasPath("path")
        counts.update { counts in
            if hasPlaceholder { counts.placeholders += 1 } else { counts.failed += 1 }
        }
    }

    private func set(_ item: GIFCache.Item, of gif: ExerciseGIF, in record: inout Record) {
        record.setCached(item.entry, status: item.status)
        record.set("gif", item.facts.field(resolution: gif.resolution))
        counts.update { $0.add(item.status) }
    }
}
