import Support

/// Decides whether a failed attempt is repeated, and after which pause. Pure but for the random number it is given.
public struct RetrySchedule: Sendable {
    /// How often a request is repeated at most.
    public var retries: Int
    /// The upper end of the first pause; it doubles with every further one.
    public var firstDelay: Duration
    /// The upper end of any pause.
    public var longestDelay: Duration
    /// The longest `Retry-After` that is waited for.
    public var longestRateLimit: Duration
    /// A number from 0 to 1 for the jitter.
    public var random: @Sendable () -> Double

    public init(
        retries: Int = 3, firstDelay: Duration = .milliseconds(500), longestDelay: Duration = .seconds(30),
        longestRateLimit: Duration = .seconds(60),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.retries = retries
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
        self.longestRateLimit = longestRateLimit
        self.random = random
    }

    /// How many bytes further an attempt must have come for the next one to count as the first: more than what lies in
    /// buffers on the way in any case, so that a server that hands out a few bytes a time is given up on.
    static let progress = 64 << 10

    /// Repeats nothing.
    public static let never = RetrySchedule(retries: 0)

    /// The pause before the next attempt; nil if there should be none.
    ///
    /// - Parameters:
    ///   - failure: what ended the attempt; only a transient one is worth another.
    ///   - attempt: how many attempts there have been, from 1.
    ///   - remaining: what is left of the request's time; a pause that would use it up is none.
    ///
    /// The pause is a random part of a back-off that doubles (*full jitter*), or exactly what `Retry-After` says.
    public func delay(after failure: any Failure, attempt: Int, remaining: Duration) -> Duration? {
        guard attempt <= retries, failure.isTransient, !(failure is Cancelled) else { return nil }
        let asked = (failure as? FetchFailure)?.retryAfter
        let delay: Duration
        if let asked, asked > .zero {
            guard asked <= longestRateLimit else { return nil }
            delay = asked
        } else {
            delay = ceiling(attempt: attempt) * min(max(random(), 0), 1)
        }
        return delay < remaining ? delay : nil
    }

    private func ceiling(attempt: Int) -> Duration {
        var delay = firstDelay
        for _ in 1..<max(attempt, 1) {
            delay = delay * 2
            if delay >= longestDelay { return longestDelay }
        }
        return min(delay, longestDelay)
    }
}
