import Libc

/// Appends events to a file that several processes may share, one line of JSON each.
public enum MetricsFile {
    /// The maximum length of a line. A pipe accepts this many bytes as a unit (POSIX, `PIPE_BUF` of Linux), and a
    /// file opened for appending accepts any single write as a unit, so lines of several processes never mix.
    static let byteLimit = 4096

    /// Opens the file, or creates it with access for its owner only. Throws `SystemFailure` (status 73).
    ///
    /// - Parameter log: gets a warning if writing fails later. Writing then stops, since further lines would follow
    ///   half a line.
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
