import Support

/// The maximum wait for other processes. Their transactions take a millisecond each, or longer with a checkpoint: the
/// limit allows hundreds of them, but is short enough to report a stuck process.
package let busyTimeout: Duration = .seconds(30)

/// The maximum wait to write counters and recorded uses, which no result depends on.
let bookkeepingTimeout: Duration = .milliseconds(50)

/// Limits the waits of a run, so that the run does not wait twice for a stuck process.
struct BusyWaits {
    var ceiling = busyTimeout
    /// The longest unsuccessful wait since the last write.
    private var vain: Duration = .zero

    /// Returns the limit for a call that would wait for `patience`; zero if a wait of this length has already failed.
    func allowed(_ patience: Duration) -> Duration {
        let wait = min(patience, ceiling)
        return wait <= vain ? .zero : wait
    }

    mutating func note(vain wait: Duration) { vain = max(vain, wait) }
    mutating func noteWritten() { vain = .zero }
}

/// Retries `body` while it throws `CacheFailure.busy`, for at most `patience`. Unlike SQLite's busy handler, this
/// function holds no lock during a wait, and throws `Cancelled` promptly if the run is stopped.
package func waitingWhileBusy<Result>(
    _ interruption: Interruption, patience: Duration = busyTimeout, _ body: () throws -> Result
) throws -> Result {
    var wait: Duration = .milliseconds(1)
    let end = SteadyTime.now() + patience
    while true {
        do {
            return try body()
        } catch CacheFailure.busy where SteadyTime.now() < end {}
        try interruption.sleep(wait)
        wait = min(wait * 2, .milliseconds(25))
    }
}
