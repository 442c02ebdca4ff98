import Libc

/// The budget of open files: a run that exceeds the process's limit fails in an unpredictable call.
public enum OpenFiles {
    /// Files of a run outside its jobs: streams, index, locks, root, name lookups. 14 were measured.
    private static let ofRun = 24
    /// Files of a job: 4 while it downloads (connection, wake-up pair, partial file), and briefly copies, folders and
    /// the picture.
    private static let ofJob = 8

    /// The process's limit of open files; nil if there is none.
    public static var limit: Int? {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        return limit < 0 ? nil : limit
    }

    /// Returns how many of the wanted jobs may run in parallel with a limit of open files: at least one.
    public static func jobs(_ wanted: Int, limit: Int?) -> Int {
        guard let limit else { return wanted }
        return min(wanted, max(1, (limit - ofRun) / ofJob))
    }
}
