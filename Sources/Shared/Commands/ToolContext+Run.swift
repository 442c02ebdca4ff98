import Libc
import Options
import Records
import Support

extension ToolContext {
    /// How records are processed and written, as the options say. Throws `UsageFailure` for options that contradict
    /// each other, and `ConfigurationFailure` for a bad setting.
    ///
    /// - Parameter work: decides the number of jobs if no setting does.
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

    /// Returns the number of jobs: `--jobs` or its default for the work, or fewer, with a warning, if the process may
    /// not open enough files. Throws `ConfigurationFailure` for a bad setting.
    public func jobs(_ work: Work) throws -> Int {
        let wanted = try value(.jobs) ?? work.jobs
        let limit = OpenFiles.limit
        let jobs = OpenFiles.jobs(wanted, limit: limit)
        if jobs < wanted, let limit {
            log.warning(
                "\(limit) open files are too few for \(wanted) jobs: running \(jobs); raise the limit with ulimit -n")
        }
        return jobs
    }

    private func layout() throws -> RecordLayout {
        guard case .fields(let fields, _) = arguments[.print] else {
            if arguments[.nullTerminated] { throw UsageFailure("-0 goes with --print") }
            return arguments[.pretty] ? .indented : .lines
        }
        return .fields(fields, terminator: arguments.terminator)
    }

    /// Runs a tool over the operands, each turned into a job, or over standard input if there are none; `-` among them
    /// means standard input. Returns the exit status. Throws `UsageFailure` if there are no operands and standard input
    /// is a terminal, and `SystemFailure` if output cannot be written.
    public func run(_ tool: any RecordTool, options: RecordRunOptions, over items: InputItems) throws -> Int32 {
        let source = try JobSource(self, items)
        if let count = source.count { progress.expect(records: count) }
        return try run(tool, options: options) { try source.next(flush: $0) }
    }

    /// Runs a tool over the input of `next`, and writes to standard output. `next` receives a function that flushes
    /// finished records, to call before it waits. Returns the exit status. Throws `SystemFailure` if output cannot be
    /// written, and the errors of `next`.
    public func run(
        _ tool: any RecordTool, options: RecordRunOptions, next: (_ flush: @escaping () -> Void) throws -> RecordInput?
    ) throws -> Int32 {
        try interruption.catchSignals()
        try interruption.watchReader(of: 1)
        let run = RecordRun(
            tool: tool, options: options,
            output: try File.standardOutput(), log: log,
            interruption: interruption, progress: progress)
        defer { progress.end() }
        let status = try run.run { try next(run.flush) }
        interruption.endIfSignalled()
        return status
    }

    /// Calls `body` with each thing that the operands or standard input name, reports each failure, and returns the
    /// exit status of the failures. Calls `finish` at the end. Throws `UsageFailure` if there are no
    /// operands and standard input is a terminal, `SystemFailure` if that cannot be read, and the errors of `finish`.
    public func forEach(
        _ items: InputItems, finish: () throws -> Void = {}, _ body: (RecordJob) throws -> Void
    ) throws -> Int32 {
        let source = try JobSource(self, items)
        var tally = ExitTally()
        while let input = try source.next(flush: {}) {
            do {
                switch input {
                case .job(let job): try body(job)
                case .bad(let failure, _): throw failure
                }
            } catch {
                let failure = failure(of: error)
                if let system = failure as? SystemFailure, system.isBrokenPipe { break }
                log.error(failure)
                tally.add(failure)
            }
        }
        try finish()
        return tally.status
    }

    /// Calls `find` with everything that the operands or standard input name. Returns 1 as soon as something is
    /// missing, else 0. Throws other failures of `find`, `UsageFailure` if there are no operands and standard input is
    /// a terminal, and `SystemFailure` if that cannot be read.
    ///
    /// - Parameter find: throws `absent` or `noInput` for a thing that is not there.
    public func areAllThere(_ items: InputItems, _ find: (RecordJob) throws -> Void) throws -> Int32 {
        let source = try JobSource(self, items)
        while let input = try source.next(flush: {}) {
            do {
                switch input {
                case .job(let job): try find(job)
                case .bad(let failure, _): throw failure
                }
            } catch let failure as any Failure where failure.exitCode == .absent || failure.exitCode == .noInput {
                log.detail(failure.message)
                return ExitCode.absent.rawValue
            }
        }
        return 0
    }

    /// Standard input, of which nothing has been read yet. Throws `SystemFailure` if it is closed.
    ///
    /// - Parameter flush: writes finished records, before the reader waits for more input.
    public func standardInput(_ flush: @escaping () -> Void) throws -> LineReader {
        let file = try File(descriptor: 0, path: "standard input", closes: false)
        return LineReader(file: file, endsInNUL: arguments[.nullData]) {
            flush()
            try waitForInput()
        }
    }

    /// Waits until there is something to read. Throws `Cancelled` if the reader of our output has gone, which a blocked
    /// `read` would not notice before the next record.
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

extension Arguments {
    /// The byte after each thing that is printed.
    public var terminator: UInt8 { self[.nullTerminated] ? 0 : UInt8(ascii: "\n") }

    /// Throws `UsageFailure` if both options are given.
    public func exclude(_ one: AnyOption, _ other: AnyOption) throws {
        if isGiven(one), isGiven(other) {
            throw UsageFailure("--\(one.name) and --\(other.name) cannot be combined")
        }
    }

    /// Whether a command that takes operands or standard input reads standard input.
    public var readsInput: Bool { operands.isEmpty || operands.contains("-") }
}
