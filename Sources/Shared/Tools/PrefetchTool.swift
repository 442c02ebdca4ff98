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

    public func prepare(_ job: RecordJob) -> Prepared { prepare([job])[0] }

    public func prepare(_ jobs: [RecordJob]) -> [Prepared] {
        put.prepare(jobs).map { prepared in
            switch prepared {
            case .done:
                counts.update { $0.skipped += 1 }
                return prepared
            case .work(let work): return .work { try perform(work, &$0, $1) }
            }
        }
    }

    private func perform(_ work: Prepared.Work, _ record: inout Record, _ emit: @escaping (Record) -> Void) throws {
        do {
            try work(&record, emit)
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
