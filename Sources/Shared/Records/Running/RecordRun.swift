import Support

/// Options of a run.
public struct RecordRunOptions: Sendable {
    /// Records worked on in parallel, at least 1.
    public var jobs = 1
    /// Writes each record as soon as it is done instead of in input order.
    public var unordered = false
    /// Stops at the first failure.
    public var failFast = false
    /// Counts records that arrive with `error` in the exit status.
    public var strict = false
    /// Works again on records that arrive with the tool's own transient `error`.
    public var retryErrors = false
    public var layout = RecordLayout.lines

    public init() {}
}

/// Passes records from a source through a tool to the output: in order, several at a time, with failures as data.
///
/// Records that arrive together are prepared together. The window limits the number and bytes of the records between
/// reading and writing, however long the input is. A single job runs on the calling thread; several run on plain
/// threads.
public final class RecordRun: Sendable {
    private struct Arrival: Sendable {
        let job: RecordJob
        let slot: ReorderBuffer.Slot
    }

    private struct State {
        var results: ReorderBuffer
        /// Records that are not yet prepared.
        var arrivals: [Arrival] = []
        /// How many are prepared together. Starts at one, so that the first record is written early even if its source
        /// never waits.
        var batchSize = 1
        /// The last record to work on, if the run was stopped.
        var lastWanted: Int?
        /// Why a tool ended the run before its input did.
        var end: EndOfRun?

        mutating func stop(at sequence: Int) { lastWanted = min(lastWanted ?? sequence, sequence) }

        func wants(_ sequence: Int) -> Bool { lastWanted.map { sequence <= $0 } ?? true }
    }

    private let tool: any RecordTool
    private let options: RecordRunOptions
    private let log: Log
    private let failures: FailureLines
    private let interruption: Interruption
    private let progress: Progress
    private let state: Monitor<State>
    private let threads: WorkThreads
    private static let batchLimit = 64

    /// - Parameter byteWindow: the maximum bytes of records between reading and writing. The default fits four of the
    ///   longest records.
    public init(
        tool: any RecordTool, options: RecordRunOptions, output: File, log: Log, interruption: Interruption,
        progress: Progress = .none, byteWindow: Int = 4 * RecordReader.lengthLimit
    ) {
        self.tool = tool
        self.options = options
        self.log = log
        failures = FailureLines(log: log)
        self.interruption = interruption
        self.progress = progress
        // Allows fast records to run ahead of a slow record, in bounded memory.
        let recordWindow = max(64, 4 * options.jobs)
        // Jobs that wait for earlier records keep files open.
        threads = WorkThreads(limit: options.jobs, most: OpenFiles.jobs(recordWindow, limit: OpenFiles.limit))
        let results = ReorderBuffer(
            output: RecordOutput(file: output, layout: options.layout, progress: progress),
            isOrdered: !options.unordered,
            window: (records: recordWindow, bytes: byteWindow))
        state = Monitor(State(results: results))
    }

    /// Prepares the records that have arrived, and writes finished ones. The source calls it before it may block.
    public func flush() {
        prepareArrivals()
        update { _ in }
    }

    /// Runs until `next` returns nil, a failure stops the run, or the output is closed. Returns the exit status. Throws
    /// an error of `next` after writing the records before it, the `EndOfRun` of a tool, or `SystemFailure` if writing
    /// fails.
    public func run(next: () throws -> RecordInput?) throws -> Int32 {
        var sourceError: (any Error)?
        do {
            while !isStopped, let item = try next() {
                switch item {
                case .job(let job): take(job)
                case .bad(let failure, let record): reject(record, failure)
                }
            }
        } catch {
            sourceError = error
        }
        // Finished records must not wait for unfinished ones.
        flush()
        threads.finish()
        failures.end()
        if let sourceError, !(sourceError is Cancelled) { throw sourceError }
        return try state.withLock { state throws in
            if sourceError == nil, interruption.cause == nil, state.end == nil { state.results.output.finish() }
            let output = state.results.output
            if let failure = output.failure { throw failure }
            if let part = options.layout.part, case let count = output.missing, count > 0 {
                log.error("there is no \(part) to print in \(count == 1 ? "a record" : "\(count) records")")
            }
            if let end = state.end { throw end }
            return state.results.tally.status
        }
    }

    // MARK: On the thread that reads

    private var isStopped: Bool {
        interruption.cause != nil || state.withLock { $0.lastWanted != nil || $0.results.output.isOver }
    }

    private func take(_ job: RecordJob) {
        var job = job
        if job.record.hasError {
            if options.retryErrors, job.record.hasTransientError(of: tool.name) {
                job.record.remove("error")
            } else if !tool.acceptsErrors {
                return pass(job)
            }
        }
        guard tool.accepts(job) else { return pass(job) }
        let arrival = Arrival(job: job, slot: reserve(job.footprint))
        let isFull = state.withLock { state in
            state.arrivals.append(arrival)
            return state.arrivals.count >= state.batchSize
        }
        if isFull { prepareArrivals() }
    }

    private func pass(_ job: RecordJob) {
        let slot = reserve(job.record.footprint)
        state.withLock { $0.results.put(outcome(job.record, of: job), in: slot) }
    }

    /// Writes a record with `error` for input that is no record.
    private func reject(_ record: Record, _ failure: any Failure) {
        var record = record
        record.setError(failure, tool: tool.name)
        if let bad = failure as? LineFailure { record.set("input_line", .integer(bad.line)) }
        failures.report(failure, about: RecordJob(record))
        var outcome = ReorderBuffer.Outcome(record: record)
        outcome.tally.add(failure)
        let slot = reserve(record.footprint)
        state.withLock { state in
            if options.failFast { state.stop(at: slot.sequence) }
            state.results.put(outcome, in: slot)
        }
    }

    /// Waits until the window has room for so many bytes.
    private func reserve(_ bytes: Int) -> ReorderBuffer.Slot {
        if let slot = state.withLock({ $0.results.reserve(bytes) }) { return slot }
        flush()
        return state.wait { $0.results.reserve(bytes) }
    }

    /// Prepares the records that have arrived. Storing finished records wakes no thread: only this thread waits for
    /// room.
    private func prepareArrivals() {
        let arrivals = state.withLock { state in
            defer { state.arrivals = [] }
            // With `failFast` each record decides whether the next is worked on.
            if state.arrivals.count == state.batchSize, !options.failFast {
                state.batchSize = min(2 * state.batchSize, Self.batchLimit)
            }
            return state.arrivals
        }
        if arrivals.isEmpty { return }
        for (arrival, prepared) in zip(arrivals, tool.prepare(arrivals.map(\.job))) {
            switch prepared {
            case .done(let record):
                state.withLock { state in
                    let isWanted = state.wants(arrival.slot.sequence)
                    state.results.put(
                        isWanted ? outcome(record, of: arrival.job) : ReorderBuffer.Outcome(), in: arrival.slot)
                }
                progress.finishRecord(failed: false)
            case .work(let work) where options.jobs == 1:
                // Finished records must not wait for slow work.
                update { _ in }
                perform(work, arrival)
            case .work(let work): threads.add { [self] in perform(work, arrival) }
            }
        }
    }

    // MARK: On any thread

    private func perform(_ work: Prepared.Work, _ arrival: Arrival) {
        var outcome = ReorderBuffer.Outcome()
        var record = arrival.job.record
        if isWanted(arrival.slot) {
            do {
                let context = WorkContext(emit: { self.emit($0, in: arrival.slot) }, wait: threads.wait)
                try interruption.during { try work(&record, context) }
                outcome = self.outcome(record, of: arrival.job)
            } catch is Cancelled, is SkippedRecord {
                // The record leaves no trace.
            } catch {
                outcome = self.outcome(failure(of: error), record, arrival)
            }
        }
        if outcome.record != nil { progress.finishRecord(failed: outcome.tally.status != 0) }
        update { state in
            if options.failFast, outcome.tally.status != 0 { state.stop(at: arrival.slot.sequence) }
            state.results.put(outcome, in: arrival.slot)
        }
    }

    private func isWanted(_ slot: ReorderBuffer.Slot) -> Bool {
        interruption.cause == nil && state.withLock { $0.wants(slot.sequence) && !$0.results.output.isOver }
    }

    private func outcome(_ record: Record, of job: RecordJob) -> ReorderBuffer.Outcome {
        var outcome = ReorderBuffer.Outcome(record: record)
        if options.strict, job.record.hasError { job.record.addError(to: &outcome.tally) }
        return outcome
    }

    private func outcome(_ failure: any Failure, _ record: Record, _ arrival: Arrival) -> ReorderBuffer.Outcome {
        if let end = failure as? EndOfRun {
            // The caller of `run` reports it.
            state.withLock { state in
                state.end = state.end ?? end
                state.stop(at: arrival.slot.sequence)
            }
        } else {
            failures.report(failure, about: arrival.job)
        }
        var record = record
        tool.retract(&record, argument: arrival.job.argument)
        record.setError(failure, tool: tool.name)
        var outcome = ReorderBuffer.Outcome(record: record)
        outcome.tally.add(failure)
        return outcome
    }

    /// Writes an early version of a record.
    private func emit(_ record: Record, in slot: ReorderBuffer.Slot) {
        // A selected field is printed once per record.
        if options.layout.part != nil { return }
        update { $0.results.put(early: record, in: slot) }
    }

    /// Changes the state, writes finished records, and wakes the reading thread if it waits for room.
    private func update(_ change: (inout State) -> Void) {
        let isClosed = state.update { state in
            change(&state)
            state.results.output.flush()
            return state.results.output.isClosed
        }
        if isClosed { interruption.cancel(.outputClosed) }
    }
}
