import Support

/// How long other processes' transactions are waited for, which take a millisecond each and a checkpoint at times: long
/// enough for hundreds of them, short enough to notice a process that is stuck.
package let busyPatience: Duration = .seconds(30)

/// The same for counters and times of last use, which no caller needs.
let bookkeepingPatience: Duration = .milliseconds(50)

/// How long the calls of one run may wait. A run does not wait a second time for a process that is stuck.
struct BusyWaits {
    /// No call waits longer.
    var ceiling = busyPatience
    /// The longest wait that ended in vain since the last write.
    private var vain: Duration = .zero

    /// How long a call may wait that would wait for `patience`.
    func allowed(_ patience: Duration) -> Duration {
        let wait = min(patience, ceiling)
        return wait <= vain ? .zero : wait
    }

    mutating func note(vain wait: Duration) { vain = max(vain, wait) }
    mutating func noteWritten() { vain = .zero }
}

/// Runs `body` again and again as long as it throws `CacheFailure.busy`, which is thrown on in the end. It is SQLite's
/// own wait turned inside out: between two attempts nothing is held that others in this process wait for, and a run that
/// is being stopped throws `Cancelled` at once.
package func waitingWhileBusy<Result>(
    _ interruption: Interruption, patience: Duration = busyPatience, _ body: () throws -> Result
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
