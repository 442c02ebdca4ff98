import Libc
import Options
import Records
import Support

extension ToolContext {
    /// Returns the options that control a `RecordRun`. Throws `UsageFailure` for contradictory options.
    public func runOptions(_ work: Work) throws -> RecordRunOptions {
        var options = RecordRunOptions()
        options.jobs = try jobs(work)
        options.unordered = arguments[.unordered]
        options.failFast = arguments[.failFast]
        options.strict = arguments[.strict]
        options.retryErrors = arguments[.retryErrors]
        options.layout = try layout()
        return options
    }

    /// Returns the value of `--jobs`, or its default for `work`. If the process cannot open enough files, warns and
    /// returns a smaller number.
    public func jobs(_ work: Work) throws -> Int {
        let wanted = try value(.jobs) ?? work.jobs
        let limit = OpenFiles.limit
        let jobs = OpenFiles.jobs(wanted, limit: limit)
        if jobs < wanted, let limit {
            log.warning(
                "the limit of \(limit) open files is too low for \(wanted) jobs, so the number of jobs is \(jobs); "
                    + "raise the limit with ulimit -n")
        }
        return jobs
    }

    private func layout() throws -> RecordLayout {
        guard case .fields(let fields, _) = arguments[.print] else {
            if arguments[.nullTerminated] { throw UsageFailure("-0 requires --print") }
            return arguments[.pretty] ? .indented : .lines
        }
        return .fields(fields, terminator: arguments.terminator)
    }

    /// Runs a tool over the operands, or over standard input if there are none. The operand `-` means standard input.
    /// Returns the exit status. Throws `UsageFailure` if there are no operands and standard input is a terminal, and
    /// `SystemFailure` if output cannot be written.
    public func run(_ tool: any RecordTool, options: RecordRunOptions, over items: InputItems) throws -> Int32 {
        let source = try JobSource(self, items)
        if let count = source.count { progress.expect(records: count) }
        return try run(tool, options: options) { try source.next(flush: $0) }
    }

    /// Runs a tool over the input of `next`, and writes the records to standard output. Returns the exit status. Throws
    /// `SystemFailure` if output cannot be written, and the errors of `next`.
    ///
    /// - Parameter next: returns the next input, or nil at the end. Calls `flush`, which writes finished records,
    ///   before it waits for input.
    public func run(
        _ tool: any RecordTool, options: RecordRunOptions, next: (_ flush: @escaping () -> Void) throws -> RecordInput?
    ) throws -> Int32 {
        try interruption.catchSignals()
        try interruption.watchReader(of: 1)
        let run = RecordRun(
            tool: tool, options: options, output: try File.standardOutput(), log: log, interruption: interruption,
            progress: progress)
        defer { progress.end() }
        let status = try run.run { try next(run.flush) }
        interruption.endIfSignalled()
        return status
    }

    /// Returns a reader for standard input. Throws `SystemFailure` if standard input is closed.
    ///
    /// - Parameter flush: writes finished records. Called before the reader waits for input.
    public func standardInput(_ flush: @escaping () -> Void) throws -> LineReader {
        let file = try File(descriptor: 0, path: "standard input", closes: false)
        return LineReader(file: file, endsInNUL: arguments[.nullData]) {
            flush()
            try waitForInput()
        }
    }

    /// Waits until standard input has data or ends. Throws `Cancelled` if the reader of standard output closes the
    /// pipe, which a blocked `read` would not detect before the next record.
    private func waitForInput() throws {
        var watched = [pollfd(fd: 0, events: Int16(POLLIN), revents: 0), pollfd(fd: 1, events: 0, revents: 0)]
        while true {
            try interruption.check()
            guard poll(&watched, 2, -1) >= 0 else {
                if errno == EINTR { continue }
                return
            }
            guard watched[1].revents & Int16(POLLERR | POLLHUP) != 0 else { return }
            interruption.cancel(.outputClosed)
        }
    }
}

extension Arguments {
    /// The byte after each printed item: a line feed, or NUL with `--null`.
    public var terminator: UInt8 { self[.nullTerminated] ? 0 : UInt8(ascii: "\n") }

    /// Throws `UsageFailure` if both options are given.
    public func exclude(_ one: AnyOption, _ other: AnyOption) throws {
        if isGiven(one), isGiven(other) { throw UsageFailure("--\(one.name) and --\(other.name) cannot be combined") }
    }

    /// Whether the operands make the command read standard input.
    public var readsInput: Bool { operands.isEmpty || operands.contains("-") }
}
