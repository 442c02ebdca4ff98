import CSystem
import Libc

/// Work that can wait for everything else.
public enum BackgroundPriority {
    /// How much nicer than others: half way to the end of the scale, as `nice` without a number.
    private static let niceness: Int32 = 10

    /// Makes the process give way on the processor and, on Linux, at the disk. To be called before other threads are
    /// started, which take it over. What the system refuses is left as it is.
    public static func take() {
        _ = nice(niceness)
        csystem_use_idle_disk()
    }
}
