/// The number of threads that a run may start in addition to its jobs. Code that could use a second thread calls `take`
/// first, and does without if none is left: a run with a job for each core gains nothing from more threads.
public final class ThreadBudget: Sendable {
    private let free: Monitor<Int>

    /// - Parameter count: less than 0 counts as 0. The default is right for a run with one job.
    public init(_ count: Int = Thread.processors - 1) { free = Monitor(max(count, 0)) }

    /// Reserves a thread, or returns false if none is left. Call `giveBack` when the thread has ended.
    public func take() -> Bool {
        free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
    }

    /// Reserves a thread even if none is left: the thread of a job, if the budget includes jobs.
    public func occupy() { free.withLock { $0 -= 1 } }

    /// Returns a thread from `take` or `occupy` to the budget.
    public func giveBack() { free.withLock { $0 += 1 } }
}
