import CSystem
import Libc
import Support

/// The work that a lock protects. Waiting processes observe its progress.
package struct LockedWork: Sendable {
    package enum Kind: String, Sendable {
        case download = "is downloading it"
        case making = "is making it"
        case maintenance = "is maintaining the cache"
    }

    let kind: Kind
    /// The file below the root that grows during the work.
    let file: String?
    /// The maximum time without progress, after which a waiting process gives up.
    let limit: Duration

    package init(_ kind: Kind, file: String? = nil, limit: Duration) {
        (self.kind, self.file, self.limit) = (kind, file, limit)
    }

    /// A snapshot of the work. Equal snapshots mean no progress.
    struct Progress: Equatable {
        var holder: pid_t?
        var bytes: Int?
        var changed: Timestamp?
        var processorTime: Int64?
    }

    /// Measures a download by its file alone. Measures other work also by the processor time of its process, because
    /// some encoders compute for minutes before they write.
    func progress(of holder: pid_t?, in root: CacheRoot) -> Progress {
        let found = try? file.flatMap(root.file)
        return Progress(
            holder: holder, bytes: found?.bytes, changed: found?.modified,
            processorTime: kind == .download ? nil : holder.map(csystem_processor_time))
    }
}

/// The time during which the holder of a lock has made no progress.
///
/// Adds up the pauses of the waiting process instead of comparing times, to exclude any time during which both
/// processes were suspended.
struct Stall {
    private var last: LockedWork.Progress?
    private var duration: Duration = .zero

    /// Throws `CacheFailure.stalled` after the limit without progress.
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
