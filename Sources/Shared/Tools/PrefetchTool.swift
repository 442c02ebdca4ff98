import Fetch
import Records
import Store
import Support

/// Puts pictures into the cache ahead of their use, and counts what came of it: the work of `img-cache prefetch`.
public struct PrefetchTool: CacheTool {
    /// How many pictures there were of each kind.
    public struct Summary: Sendable, Equatable {
        /// Fresh already.
        public var skipped = 0
        /// Fetched or revalidated.
        public var done = 0
        /// Not had now, an expired copy that stands in among them.
        public var failed = 0

        public var text: String { "\(skipped) skipped, \(done) done, \(failed) failed" }
    }

    public let name = "img-cache"
    private let put: PutTool
    private let counts = Monitor(Summary())

    public init(put: PutTool) { self.put = put }

    /// What has come of all records so far.
    public var summary: Summary { counts.withLock { $0 } }

    public func processAtOnce(_ record: inout Record, argument: String?) -> Bool {
        guard put.processAtOnce(&record, argument: argument) else { return false }
        counts.update { $0.skipped += 1 }
        return true
    }

    public func process(_ record: inout Record, argument: String?, emit: (Record) -> Void) throws {
        do {
            try put.process(&record, argument: argument, emit: emit)
        } catch {
            if !(error is Cancelled) { counts.update { $0.failed += 1 } }
            throw error
        }
        let status = record.string("cache.status").flatMap(CacheStatus.init(rawValue:))
        counts.update { counts in
            switch status {
            case .hit: counts.skipped += 1
            case .miss, .revalidated, .bypass: counts.done += 1
            case .stale, nil: counts.failed += 1
            }
        }
    }
}
