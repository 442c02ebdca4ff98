import Support

/// Limits bytes to an average rate, with short bursts. Pure: it is given the time.
struct TokenBucket: Sendable, Hashable {
    /// Small enough that the rate is right when looked at for a second time, large enough that what arrives in pieces
    /// is not held up between them.
    static let burst = Duration.milliseconds(250)

    let bytesPerSecond: Int
    /// When the rate will have made up for what has passed so far. In the past if nothing passes.
    private var usedUntil: Duration

    /// - Parameters:
    ///   - bytesPerSecond: at least 1.
    ///   - now: a monotonic time, from any start.
    init(bytesPerSecond: Int, now: Duration) {
        self.bytesPerSecond = max(bytesPerSecond, 1)
        usedUntil = now
    }

    /// Lets `bytes` pass, and returns how long to wait before taking more.
    mutating func take(_ bytes: Int, now: Duration) -> Duration {
        let cost = Duration.seconds(Double(bytes) / Double(bytesPerSecond))
        usedUntil = max(usedUntil, now - Self.burst) + cost
        return max(usedUntil - now, .zero)
    }
}

/// Keeps all transfers of a process under one rate, by telling receivers how long to wait.
public final class RateLimit: Sendable {
    private let bucket: Monitor<TokenBucket>

    public init(bytesPerSecond: Int) {
        bucket = Monitor(TokenBucket(bytesPerSecond: bytesPerSecond, now: SteadyTime.now()))
    }

    /// Counts bytes that have arrived, and returns how long to wait before the rate allows more; not negative.
    func take(_ bytes: Int) -> Duration {
        bucket.withLock { $0.take(bytes, now: SteadyTime.now()) }
    }
}
