import Records
import Support

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension ToolContext {
    /// Runs a tool over its arguments, each turned into a job, or over standard input where there are none; `-` among
    /// them stands for standard input. Gives the exit status.
    ///
    /// - Parameters:
    ///   - expecting: what the tool wants, for somebody who gave nothing at a terminal: "addresses or files".
    ///   - job: turns an argument into a job; its failure becomes a record like any other.
    public func run(
        _ tool: any RecordTool, options: RecordRunOptions, arguments: [String], expecting: String,
        job: (String) throws -> RecordJob
    ) throws -> Int32 {
        if arguments.isEmpty, isatty(0) == 1 {
            throw UsageFailure(
                "give \(expecting) as arguments, or records on standard input; see \(self.tool) --help")
        }
        if !arguments.isEmpty, !arguments.contains("-") { progress.expect(records: arguments.count) }
        var rest = (arguments.isEmpty ? ["-"] : arguments)[...]
        var reader: RecordReader?
        return try run(tool, options: options) { flush in
            while true {
                if let open = reader {
                    if let input = try open.nextInput() { return input }
                    reader = nil
                }
                guard let argument = rest.popFirst() else { return nil }
                if argument == "-" {
                    reader = RecordReader(continuing: try standardInput(flush))
                    continue
                }
                do {
                    return .job(try job(argument))
                } catch {
                    return .bad(failure(of: error))
                }
            }
        }
    }

    /// Runs a tool over what `next` gives, to standard output. `next` is handed a way to write out what is done, for
    /// when it has to wait.
    public func run(
        _ tool: any RecordTool, options: RecordRunOptions, next: (_ flush: @escaping () -> Void) throws -> RecordInput?
    ) throws -> Int32 {
        try interruption.catchSignals()
        try interruption.watchReader(of: 1)
        let run = RecordRun(
            tool: tool, options: options,
            output: try File(descriptor: 1, path: "standard output", closes: false), log: log,
            interruption: interruption, progress: progress)
        defer { progress.end() }
        let status = try run.run { try next(run.flush) }
        interruption.endIfSignalled()
        return status
    }

    /// Standard input, of which nothing has been read yet.
    ///
    /// - Parameter flush: writes out what is done, for when it has to be waited for.
    public func standardInput(_ flush: @escaping () -> Void) throws -> LineReader {
        LineReader(file: try File(descriptor: 0, path: "standard input", closes: false)) {
            flush()
            try waitForInput()
        }
    }

    /// Waits until there is something to read, or throws `Cancelled` when whoever reads our output has gone, which a
    /// blocked `read` would not notice before the next record comes.
    private func waitForInput() throws {
        var watched = [pollfd(fd: 0, events: Int16(POLLIN), revents: 0), pollfd(fd: 1, events: 0, revents: 0)]
        while true {
            try interruption.check()
            guard poll(&watched, 2, -1) >= 0 else {
                if errno == EINTR { continue }
                return
            }
            if watched[1].revents & Int16(POLLERR | POLLHUP) != 0 {
                interruption.cancel(.outputClosed)
            } else {
                return
            }
        }
    }
}
