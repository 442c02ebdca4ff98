import CSystem
import Libc

/// Low priority for work that can wait.
public enum BackgroundPriority {
    /// How much nicer than others: half of the scale, as with `nice` without a number.
    private static let niceness: Int32 = 10

    /// Makes the process give way on the processor and, on Linux, at the disk. Call it before other threads are
    /// started, which inherit it. What the system refuses is left as it is.
    public static func take() {
        _ = nice(niceness)
        csystem_use_idle_disk()
    }
}
