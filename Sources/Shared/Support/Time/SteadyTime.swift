import Libc

/// Monotonic time since an arbitrary moment. It stops while the machine is suspended, like libcurl's clock and
/// `Monitor.wait`: after the machine resumes, a request has as much time left as before.
public enum SteadyTime {
    public static func now() -> Duration {
        var time = timespec()
        #if canImport(Darwin)
        // On macOS, CLOCK_MONOTONIC continues while the machine sleeps.
        clock_gettime(CLOCK_UPTIME_RAW, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
