import Libc

/// The budget of open files: a run that exceeds the limit of its process fails at some call that it cannot foresee.
public enum OpenFiles {
    /// Files that a run has open whatever its jobs do: streams, index, locks, root, name lookups. 14 were measured.
    private static let ofRun = 24
    /// Files that a job has open: 4 while it downloads (connection, wake-up pair, partial file), and copies, folders and
    /// the picture for a moment.
    private static let ofJob = 8

    /// The most files that this process may have open at once; nil if there is no limit.
    public static var limit: Int? {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        return limit < 0 ? nil : limit
    }

    /// Returns how many of the wanted jobs may run at once with a limit of open files: at least one.
    public static func jobs(_ wanted: Int, limit: Int?) -> Int {
        guard let limit else { return wanted }
        return min(wanted, max(1, (limit - ofRun) / ofJob))
    }
}
