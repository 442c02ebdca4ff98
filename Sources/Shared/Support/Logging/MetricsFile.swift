import Libc

/// Appends events to a file that several processes may share, one line of JSON each.
public enum MetricsFile {
    /// The maximum length of a line in bytes. A write of this length to a pipe is atomic (POSIX; `PIPE_BUF` on Linux),
    /// and so is any write to a file opened for appending. Lines of several processes are therefore never mixed.
    static let byteLimit = 4096

    /// Opens the file, or creates it with mode 0600. Throws `SystemFailure` (status 73).
    ///
    /// - Parameter log: receives a warning if a write fails. Later events are discarded: they would follow half a line.
    public static func open(_ path: String, tool: String, log: Log) throws -> Metrics {
        let file = try File.open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY, purpose: .makeOutput)
        let isBroken = Monitor(false)
        let pid = getpid()
        return Metrics { event in
            let line = event.line(tool: tool, pid: pid, time: .now(), byteLimit: byteLimit)
            let failure = isBroken.withLock { isBroken -> SystemFailure? in
                if isBroken { return nil }
                do throws(SystemFailure) {
                    try file.write(line)
                    return nil
                } catch {
                    isBroken = true
                    return error
                }
            }
            if let failure { log.warning("\(failure.message); no more metrics are written") }
        }
    }
}
