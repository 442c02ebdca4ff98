/// The number of threads that a run may start in addition to its jobs. Code that could use a second thread asks first,
/// and works on its own thread if none is left: a run with a job for each core gains nothing from more threads.
public final class ThreadBudget: Sendable {
    private let free: Monitor<Int>

    /// - Parameter count: threads that may run at a time; less than 0 counts as 0. Default: the machine's processors
    ///   but one, which is right for a run of one job.
    public init(_ count: Int = ThreadBudget.processors - 1) { free = Monitor(max(count, 0)) }

    /// Processors that are in use by the system, at least 1.
    public static var processors: Int { Thread.processors }

    /// Whether a thread may be started, which has then to be given back.
    public func take() -> Bool {
        free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
    }

    /// Counts a thread that runs anyway: that of a job, if the budget is for jobs and what they start together.
    public func occupy() { free.withLock { $0 -= 1 } }

    /// Says that a thread which was taken, or occupied, has ended.
    public func giveBack() { free.withLock { $0 += 1 } }
}
