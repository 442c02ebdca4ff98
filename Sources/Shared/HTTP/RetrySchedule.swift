import Support

/// Decides whether and when a failed attempt is retried. Never sleeps.
public struct RetrySchedule: Sendable {
    /// The maximum number of retries per request.
    public var retries: Int
    /// Returns a number from 0 to 1 for the jitter.
    private let random: @Sendable () -> Double

    public init(retries: Int = 3, random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }) {
        self.retries = retries
        self.random = random
    }

    /// The upper bound of the first delay. The bound doubles with each attempt.
    private static let firstDelay = Duration.milliseconds(500)
    /// The upper bound of every random delay.
    private static let longestDelay = Duration.seconds(30)
    /// The longest `Retry-After` after which the client retries.
    private static let longestRateLimit = Duration.seconds(60)

    /// The number of bytes that an attempt must receive to restart the schedule. Larger than network buffers, so that
    /// the tools give up on a server that sends only a few bytes each time.
    static let progress = 64 << 10

    /// Returns the delay before the next attempt, or nil for no retry. The delay is a random part of an exponential
    /// back-off (*full jitter*), or exactly `Retry-After`.
    ///
    /// - Parameters:
    ///   - failure: only a transient failure is retried.
    ///   - attempt: the number of attempts so far, from 1.
    ///   - remaining: the remaining time of the request; the delay must be shorter.
    public func delay(after failure: any Failure, attempt: Int, remaining: Duration) -> Duration? {
        guard attempt <= retries, failure.isTransient, !(failure is Cancelled) else { return nil }
        var delay = Self.firstDelay
        if let asked = (failure as? FetchFailure)?.retryAfter, asked > .zero {
            guard asked <= Self.longestRateLimit else { return nil }
            delay = asked
        } else {
            for _ in 1..<max(attempt, 1) where delay < Self.longestDelay { delay = delay * 2 }
            delay = min(delay, Self.longestDelay) * min(max(random(), 0), 1)
        }
        return delay < remaining ? delay : nil
    }
}
