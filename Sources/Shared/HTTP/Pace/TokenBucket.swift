import Support

/// How many bytes may pass by when: so many a second on average, and what was not used of the last moment at once.
/// Pure: the time is told.
struct TokenBucket: Sendable, Hashable {
    /// Small enough that a second look at a transfer's rate shows the one that was asked for, large enough that what
    /// arrives in pieces is not held up between them.
    static let burst = Duration.milliseconds(250)

    let bytesPerSecond: Int
    /// Until when what has passed so far uses the rate up. In the past where nothing passes.
    private var usedUntil: Duration

    /// - Parameters:
    ///   - bytesPerSecond: at least 1.
    ///   - now: any time that goes on evenly, from any beginning.
    init(bytesPerSecond: Int, now: Duration) {
        self.bytesPerSecond = max(bytesPerSecond, 1)
        usedUntil = now
    }

    /// Lets `bytes` pass, and gives the time to wait before more are taken.
    mutating func take(_ bytes: Int, now: Duration) -> Duration {
        let cost = Duration.seconds(Double(bytes) / Double(bytesPerSecond))
        usedUntil = max(usedUntil, now - Self.burst) + cost
        return max(usedUntil - now, .zero)
    }
}

/// Keeps all transfers of a process under one rate: says how long those who receive are to wait.
public final class RateLimit: Sendable {
    private let bucket: Monitor<TokenBucket>

    public init(bytesPerSecond: Int) {
        bucket = Monitor(TokenBucket(bytesPerSecond: bytesPerSecond, now: SteadyTime.now()))
    }

    /// Counts bytes that have arrived, and gives the time until the rate allows more; not negative.
    func take(_ bytes: Int) -> Duration {
        bucket.withLock { $0.take(bytes, now: SteadyTime.now()) }
    }
}
