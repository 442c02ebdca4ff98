import Support

/// Limits the rate at which jobs start, first come, first served.
public final class StartPacing: Sendable {
    private let delay: Duration
    private let now: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) throws -> Void
    /// The earliest start of the next caller.
    private let next = Monitor(Duration.zero)

    /// - Parameter delay: the minimum time between two starts.
    public init(
        delay: Duration, now: @escaping @Sendable () -> Duration = SteadyTime.now,
        sleep: @escaping @Sendable (Duration) throws -> Void
    ) {
        self.delay = delay
        self.now = now
        self.sleep = sleep
    }

    /// Waits for the caller's turn. The first caller does not wait. Throws `Cancelled` if the run is stopped.
    public func take() throws {
        let wait = next.withLock { next in
            let now = now()
            let begin = max(now, next)
            next = begin + delay
            return begin - now
        }
        if wait > .zero { try sleep(wait) }
    }
}
