import CSystem
import Libc

/// Low priority for work that can wait.
public enum BackgroundPriority {
    /// Lowers the CPU priority of the process and, on Linux, its disk priority. Call it before starting other threads,
    /// which inherit both. Ignores errors.
    public static func take() {
        _ = nice(10)  // the default of nice(1)
        csystem_use_idle_disk()
    }
}
