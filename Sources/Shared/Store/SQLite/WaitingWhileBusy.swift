import Support

/// How long other processes' transactions are waited for, which take a millisecond each and a checkpoint at times: long
/// enough for hundreds of them, short enough to notice a process that is stuck.
package let busyPatience: Duration = .seconds(30)

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
