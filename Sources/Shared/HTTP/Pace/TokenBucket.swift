import Support

/// Limits bytes to an average rate, with short bursts. Computes waits from the given times, and never sleeps.
struct TokenBucket: Sendable, Hashable {
    /// The longest burst: short enough for an exact average over a second, long enough not to delay data that arrives
    /// in pieces.
    static let burst = Duration.milliseconds(250)

    let bytesPerSecond: Int
    /// The time after which more bytes may pass. In the past if the bucket is idle.
    private var usedUntil: Duration

    /// - Parameter now: a monotonic time with any origin.
    init(bytesPerSecond: Int, now: Duration) {
        self.bytesPerSecond = max(bytesPerSecond, 1)
        usedUntil = now
    }

    /// Counts `bytes` and returns the wait before more bytes may pass.
    mutating func take(_ bytes: Int, now: Duration) -> Duration {
        let cost = Duration.seconds(Double(bytes) / Double(bytesPerSecond))
        usedUntil = max(usedUntil, now - Self.burst) + cost
        return max(usedUntil - now, .zero)
    }
}

/// Limits all transfers of a process to a common rate.
public final class RateLimit: Sendable {
    private let bucket: Monitor<TokenBucket>

    public init(bytesPerSecond: Int) {
        bucket = Monitor(TokenBucket(bytesPerSecond: bytesPerSecond, now: SteadyTime.now()))
    }

    /// Counts received bytes and returns the wait before more bytes may pass; not negative.
    func take(_ bytes: Int) -> Duration { bucket.withLock { $0.take(bytes, now: SteadyTime.now()) } }
}
