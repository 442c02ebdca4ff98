import Libc

/// Monotonic time since some fixed moment: for durations and deadlines, not for dates.
///
/// It stands still while the machine is suspended, as do libcurl's own clock and that of `Monitor.wait`: a request that
/// was under way has as much time left after the machine wakes up as it had before.
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
