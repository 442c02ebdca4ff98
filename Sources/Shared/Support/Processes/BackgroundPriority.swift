import CSystem
import Libc

/// Low priority for work that can wait.
public enum BackgroundPriority {
    /// Half of the scale, the default of nice(1).
    private static let niceness: Int32 = 10

    /// Lowers the CPU priority of the process and, on Linux, its disk priority. Call it before starting other threads,
    /// which inherit both. Ignores errors.
    public static func take() {
        _ = nice(niceness)
        csystem_use_idle_disk()
    }
}
