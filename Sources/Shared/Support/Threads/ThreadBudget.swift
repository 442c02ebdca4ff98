/// The number of threads that a run may start in addition to its jobs. Code that could use a second thread first calls
/// `take`, and uses only its own thread if the budget is used up: a run with a job for each core gains nothing from
/// more threads.
public final class ThreadBudget: Sendable {
    private let free: Monitor<Int>

    /// - Parameter count: a negative number is treated as 0. The default suits a run with one job.
    public init(_ count: Int = Thread.processors - 1) { free = Monitor(max(count, 0)) }

    /// Reserves a thread, or returns false if no thread is left. Call `giveBack` when the thread has ended.
    public func take() -> Bool {
        free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
    }

    /// Reserves the thread of a job, even if no thread is left. For budgets that include the jobs.
    public func occupy() { free.withLock { $0 -= 1 } }

    /// Returns a thread from `take` or `occupy` to the budget.
    public func giveBack() { free.withLock { $0 += 1 } }
}
