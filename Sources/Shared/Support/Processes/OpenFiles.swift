import Libc

/// Limits the number of jobs so that a run stays below the limit of open files, beyond which any call may fail.
public enum OpenFiles {
    /// Open files of a run outside its jobs: streams, index, locks, root, name lookups. Measured: 14.
    private static let ofRun = 24
    /// Open files of a job: connection, wake-up pair, partial file, and briefly copies, folders and the picture.
    private static let ofJob = 8

    /// The process's limit of open files; nil if there is none.
    public static var limit: Int? {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        return limit < 0 ? nil : limit
    }

    /// Returns `wanted`, or fewer jobs to stay below `limit` open files; at least 1.
    public static func jobs(_ wanted: Int, limit: Int?) -> Int {
        guard let limit else { return wanted }
        return min(wanted, max(1, (limit - ofRun) / ofJob))
    }
}
