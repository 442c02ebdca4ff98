import Support

/// Decides whether a failed attempt is retried, and after which pause. Pure except for the random number that it is
/// given.
public struct RetrySchedule: Sendable {
    /// How often a request is retried at most.
    public var retries: Int
    /// A number from 0 to 1 for the jitter.
    private let random: @Sendable () -> Double

    public init(retries: Int = 3, random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }) {
        self.retries = retries
        self.random = random
    }

    /// The upper end of the first pause, which doubles with each attempt.
    private static let firstDelay = Duration.milliseconds(500)
    /// The upper end of any pause.
    private static let longestDelay = Duration.seconds(30)
    /// The longest `Retry-After` that is respected.
    private static let longestRateLimit = Duration.seconds(60)

    /// How many bytes further an attempt must have come for the next one to count as the first. More than what buffers
    /// on the way hold, so that a server that hands out only a few bytes each time is given up on.
    static let progress = 64 << 10

    /// Returns the pause before the next attempt; nil if there should be none.
    ///
    /// - Parameters:
    ///   - failure: what ended the attempt; only a transient failure is retried.
    ///   - attempt: how many attempts there have been, from 1.
    ///   - remaining: what is left of the request's time; there is no pause that would use it up.
    ///
    /// The pause is a random part of a back-off that doubles (*full jitter*), or exactly what `Retry-After` says.
    public func delay(after failure: any Failure, attempt: Int, remaining: Duration) -> Duration? {
        guard attempt <= retries, failure.isTransient, !(failure is Cancelled) else { return nil }
        let asked = (failure as? FetchFailure)?.retryAfter
        let delay: Duration
        if let asked, asked > .zero {
            guard asked <= Self.longestRateLimit else { return nil }
            delay = asked
        } else {
            delay = ceiling(attempt: attempt) * min(max(random(), 0), 1)
        }
        return delay < remaining ? delay : nil
    }

    private func ceiling(attempt: Int) -> Duration {
        var delay = Self.firstDelay
        for _ in 1..<max(attempt, 1) where delay < Self.longestDelay { delay = delay * 2 }
        return min(delay, Self.longestDelay)
    }
}
