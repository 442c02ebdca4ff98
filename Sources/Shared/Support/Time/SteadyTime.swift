import Libc

/// Time since some fixed moment, which nobody sets back: for spans and deadlines, not for dates.
///
/// It stands still while the machine is suspended, as libcurl's own clock and that of `Monitor.wait` do: a request
/// that was under way has as much time left after the machine wakes up as it had before.
public enum SteadyTime {
    public static func now() -> Duration {
        var time = timespec()
        #if canImport(Darwin)
        // There, CLOCK_MONOTONIC goes on while the machine sleeps.
        clock_gettime(CLOCK_UPTIME_RAW, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

extension Duration {
    /// Whole microseconds, rounded towards zero; saturates.
    public var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        return product.addingReportingOverflow(attoseconds / 1_000_000_000_000).partialValue
    }

    /// Seconds as a number, for rates.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
