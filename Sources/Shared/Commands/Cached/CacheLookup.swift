import CacheTools
import Fetch
import Options
import Records
import Store
import Support

/// The context, caches and operands of a command that looks up entries without using the network.
public struct CacheLookup {
    public let context: ToolContext
    public let caches: Caches
    public let naming: any EntryNaming
    public let items: InputItems

    /// Drops all rights that the command does not need. Caches are opened on first use. Throws `UsageFailure` for
    /// contradictory options, and `ConfigurationFailure` for an invalid setting.
    ///
    /// - Parameter prepare: adds the rights that the given options need.
    public init(
        _ kind: CachedKind, _ arguments: Arguments, _ requirements: SandboxRequirements = SandboxRequirements(),
        prepare: (ToolContext, inout SandboxRequirements) throws -> Void = { _, _ in }
    ) throws {
        context = try ToolContext(arguments)
        var settings = try context.cacheSettings(needsRoot: requirements.usesRoot)
        naming = try kind.naming(context, settings)
        let items = kind.items(arguments)
        var requirements = requirements
        requirements.readsInput = items.areInInput
        requirements.mapsHosts = items.areInInput || arguments.operands.contains(where: InternationalName.mayBeHost)
        try prepare(context, &requirements)
        context.confine(&settings, requirements)
        let caches = context.caches(settings)
        self.caches = caches
        self.items = items.taking { caches.entryPath($0) != nil }
    }

    /// Returns the entry of a job and starts its lease. Arguments and errors are as in `Caches.find`.
    public func find(_ job: RecordJob, takesExpired: Bool = true) throws -> FoundEntry {
        try caches.find(job, naming, takesExpired: takesExpired)
    }

    /// Runs a tool over all items. Returns the exit status. Throws the errors of `ToolContext.run`.
    public func run(_ tool: any RecordTool, _ work: Work = .lookups) throws -> Int32 {
        let options = try context.runOptions(work)
        defer { caches.close() }
        return try context.run(tool, options: options, over: items)
    }

    /// Calls `body` with each item. Reports each failure, and returns the combined exit status, which is 0 if there is
    /// no failure. Throws `UsageFailure` if there are no operands and standard input is a terminal, and `SystemFailure`
    /// if standard input cannot be read.
    public func forEachItem(_ body: (RecordJob) throws -> Void) throws -> Int32 {
        defer { caches.close() }
        let source = try JobSource(context, items)
        var tally = ExitTally()
        while let input = try source.next(flush: {}) {
            do {
                try body(input.job)
            } catch {
                let failure = failure(of: error)
                if let system = failure as? SystemFailure, system.isBrokenPipe { break }
                context.log.error(failure)
                tally.add(failure)
            }
        }
        return tally.status
    }

    /// Looks up each item. Stops at the first missing item and returns 1, or returns 0 if all items are cached. Throws
    /// other failures, and `UsageFailure` and `SystemFailure` as `forEachItem` does.
    func areAllThere(takesExpired: Bool) throws -> Int32 {
        defer { caches.close() }
        let source = try JobSource(context, items)
        while let input = try source.next(flush: {}) {
            do {
                _ = try find(input.job, takesExpired: takesExpired)
            } catch let failure as any Failure where failure.exitCode == .absent || failure.exitCode == .noInput {
                context.log.detail(failure.message)
                return ExitCode.absent.rawValue
            }
        }
        return 0
    }

    /// Calls `body` to remove each item, then reports the number and the size of the removed entries. Returns the exit
    /// status. Throws the errors of `forEachItem`.
    public func remove(dryRun: Bool, _ body: (RecordJob) throws -> EntrySum) throws -> Int32 {
        let output = try ReportOutput(json: context.arguments[.json])
        var sum = EntrySum()
        let status = try forEachItem { sum.add(try body($0)) }
        if sum.entries > 0 { try output.write(RemovalReport(sum, isDryRun: dryRun)) }
        return status
    }
}

extension RecordInput {
    fileprivate var job: RecordJob {
        get throws {
            switch self {
            case .job(let job): return job
            case .bad(let failure, _): throw failure
            }
        }
    }
}

extension ToolContext {
    /// Calls `body`, which removes entries, and writes its report. Returns the exit status. Throws the errors of
    /// `body`, and `SystemFailure` if output cannot be written.
    public func reportRemoval(from caches: Caches, _ body: () throws -> RemovalReport) throws -> Int32 {
        let output = try ReportOutput(json: arguments[.json])
        try interruption.catchSignals()
        let report = try body()
        caches.close()
        try output.write(report)
        return 0
    }

    /// Writes the elements that `next` returns. On a terminal or with `--table`, writes a table with a total, otherwise
    /// records. Returns the exit status. Throws `UsageFailure` for contradictory options, `SystemFailure` if output
    /// cannot be written, and the errors of `next`.
    public func list<Element>(
        heading: String, line: (Element) -> String, record: (Element) -> Record, total: () -> String,
        next: () throws -> Element?
    ) throws -> Int32 {
        let options = try runOptions(.lookups)
        let writesRecords = arguments[.json] || options.layout != .lines
        if arguments[.table], writesRecords {
            throw UsageFailure("--table cannot be combined with --json, --print or --pretty")
        }
        let output = try ReportOutput(json: writesRecords, isForced: arguments[.table])
        guard output.isForPeople else {
            return try run(PassingTool(name: tool), options: options) { _ in
                try next().map { .job(RecordJob(record($0))) }
            }
        }
        var isFirst = true
        while let element = try next() {
            try output.write(.null, (isFirst ? heading : "") + line(element))
            isFirst = false
        }
        if !isFirst { try output.write(.null, total()) }
        return 0
    }

    /// Writes a description of each item: as text on a terminal, otherwise as a field of its record. Returns the exit
    /// status. Throws the errors of `run`.
    public func describe(
        _ items: InputItems, as field: String, _ work: Work = .lookups,
        _ description: @escaping @Sendable (RecordJob) throws -> any Description
    ) throws -> Int32 {
        var options = try runOptions(work)
        let writesText = options.layout == .lines && !arguments[.json] && Terminal.isTerminal(1)
        // Most descriptions end with a line feed, so this terminator adds an empty line.
        if writesText { options.layout = .fields([DescribeTool.textField], terminator: UInt8(ascii: "\n")) }
        let tool = DescribeTool(name: tool, field: field, writesText: writesText, describe: description)
        return try run(tool, options: options, over: items)
    }

    /// Verifies caches and reports the problems. Returns the exit status, which is 1 if there are problems. Throws
    /// `CacheFailure`, `SystemFailure`, and `Cancelled` if the run is stopped.
    ///
    /// - Parameter selection: the entries to verify, or nil for whole roots.
    public func verify(
        repairs: Bool, selection: Verification.Selection? = nil, _ settings: () throws -> [CacheSettings]
    ) throws -> Int32 {
        let jobs = try jobs(.pictures)
        let output = try ReportOutput(json: arguments[.json], progress: progress)
        try interruption.catchSignals()
        defer { progress.end() }
        // Each line of JSON describes a step and lists the problems found in it.
        let found = Monitor<[VerificationProblem]>([])
        @Sendable func write(_ event: VerificationEvent) throws {
            switch event {
            case .problem(let problem) where output.isForPeople: try output.write(.null, problem.text)
            case .problem(let problem): found.withLock { $0.append(problem) }
            case .step(let step):
                try output.write(step.json(found.withLock { $0 }), step.text)
                found.withLock { $0 = [] }
            }
        }
        let problems = try interruption.during {
            try settings().reduce(0) { problems, settings in
                let verification = Verification(
                    settings: settings, jobs: jobs, repairs: repairs, log: log, progress: progress,
                    interruption: interruption, inspect: CacheStore.wholePictureOrMovie, selection: selection)
                return try problems + verification.run(report: write)
            }
        }
        return problems == 0 ? 0 : ExitCode.absent.rawValue
    }
}
