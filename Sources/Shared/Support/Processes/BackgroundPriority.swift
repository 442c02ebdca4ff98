import CSystem
import Libc

/// Low priority for work that can wait.
public enum BackgroundPriority {
    /// Half of the scale, as with `nice` without a number.
    private static let niceness: Int32 = 10

    /// Lowers the process's priority for the processor and, on Linux, the disk. Call it before starting other threads,
    /// which inherit it. Ignores refusals of the system.
    public static func take() {
        _ = nice(niceness)
        csystem_use_idle_disk()
    }
}
