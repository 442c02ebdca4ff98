import CSystem
import Libc
import Support

/// The work that is done under a lock, as the processes that wait for the lock see it.
package struct LockedWork: Sendable {
    package enum Kind: String, Sendable {
        case download = "is downloading it"
        case making = "is making it"
        case maintenance = "is maintaining the cache"
    }

    let kind: Kind
    /// The file that grows meanwhile, named below the root; nil if there is none.
    let file: String?
    /// How long the holder of the lock may make no progress.
    let limit: Duration

    package init(_ kind: Kind, file: String? = nil, limit: Duration) {
        (self.kind, self.file, self.limit) = (kind, file, limit)
    }

    /// Two values are equal if the work has not gone on in between.
    struct Progress: Equatable {
        var holder: pid_t?
        var bytes: Int?
        var changed: Timestamp?
        var processorTime: Int64?
    }

    /// Looks at the file and at the process. A download counts by its bytes alone. Everything else also counts by the
    /// processor time of its process: some encoders compute for minutes before they write the first byte.
    func progress(of holder: pid_t?, in root: CacheRoot) -> Progress {
        let found = try? file.flatMap(root.file)
        return Progress(
            holder: holder, bytes: found?.bytes, changed: found?.modified,
            processorTime: kind == .download ? nil : holder.map(csystem_processor_time))
    }
}

/// How long the holder of a lock has made no progress.
///
/// Adds up the pauses of the waiting process instead of comparing times: a pipeline that was suspended as a whole and
/// continued has not waited.
struct Stall {
    private var last: LockedWork.Progress?
    private var duration: Duration = .zero

    /// Throws `CacheFailure.stalled` once nothing has changed for the limit.
    ///
    /// - Parameter pause: the time since the last call.
    mutating func observe(_ progress: LockedWork.Progress, after pause: Duration, work: LockedWork) throws {
        duration = progress == last ? duration + pause : .zero
        last = progress
        if duration < work.limit { return }
        throw CacheFailure.stalled(
            process: progress.holder.map(Int.init), work: work.kind.rawValue, since: Timestamp.now() - duration)
    }
}
