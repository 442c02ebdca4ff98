import Support

/// Options of a run.
public struct RecordRunOptions: Sendable {
    /// The maximum number of records processed in parallel, at least 1.
    public var jobs = 1
    /// Writes each record as soon as it is finished instead of in input order.
    public var unordered = false
    /// Stops at the first failure.
    public var failFast = false
    /// Includes the errors of earlier tools in the exit status.
    public var strict = false
    /// Retries records that arrive with a transient `error` of the same tool.
    public var retryErrors = false
    public var layout = RecordLayout.lines

    public init() {}
}

/// Passes records from a source through a tool to the output, in order and with several records in parallel. A failure
/// becomes the `error` of its record.
///
/// Records that arrive together are prepared as a batch. A window limits the number and bytes of records between
/// reading and writing, so memory does not grow with the input. A single job runs on the calling thread; several jobs
/// run on plain threads.
public final class RecordRun: Sendable {
    private struct Arrival: Sendable {
        let job: RecordJob
        let slot: ReorderBuffer.Slot
    }

    private struct State {
        var results: ReorderBuffer
        /// Records not yet prepared.
        var arrivals: [Arrival] = []
        /// The number of records per batch. Starts at 1 and doubles, so the first record is written early even if its
        /// source never blocks.
        var batchSize = 1
        /// The sequence number of the last record to process, if the run was stopped.
        var lastWanted: Int?
        /// The failure that ended the run before the end of the input.
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

    /// - Parameter byteWindow: the maximum bytes of records between reading and writing. The default fits four records
    ///   of the maximum length.
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
        // The window lets fast records finish before a slow earlier record, but limits the memory for their results.
        let recordWindow = max(64, 4 * options.jobs)
        // Jobs that wait for earlier records keep files open, so the limit on open files also limits the threads.
        threads = WorkThreads(limit: options.jobs, most: OpenFiles.jobs(recordWindow, limit: OpenFiles.limit))
        let results = ReorderBuffer(
            output: RecordOutput(file: output, layout: options.layout, progress: progress),
            isOrdered: !options.unordered,
            window: (records: recordWindow, bytes: byteWindow))
        state = Monitor(State(results: results))
    }

    /// Prepares the records that have arrived, and writes finished records. The source must call this before a call
    /// that may block.
    public func flush() {
        prepareArrivals()
        update { _ in }
    }

    /// Runs until `next` returns nil, a failure stops the run, or the output is closed. Returns the exit status. Throws
    /// an error of `next` after all earlier records are written, the `EndOfRun` of a tool, or `SystemFailure` if
    /// writing fails.
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
        // Write finished records now, rather than after the unfinished records.
        flush()
        threads.finish()
        failures.end()
        if let sourceError, !(sourceError is Cancelled) { throw sourceError }
        return try state.withLock { state throws in
            if sourceError == nil, interruption.cause == nil, state.end == nil { state.results.output.finish() }
            let output = state.results.output
            if let failure = output.failure { throw failure }
            if let part = options.layout.part, case let count = output.missing, count > 0 {
                log.error("\(count == 1 ? "a record has" : "\(count) records have") no \(part) to print")
            }
            if let end = state.end { throw end }
            return state.results.tally.status
        }
    }

    // MARK: On the reading thread

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

    /// Writes a record with `error` for input that is not a record.
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

    /// Reserves a slot once the window has room for a record of this size.
    private func reserve(_ bytes: Int) -> ReorderBuffer.Slot {
        if let slot = state.withLock({ $0.results.reserve(bytes) }) { return slot }
        flush()
        return state.wait { $0.results.reserve(bytes) }
    }

    /// Prepares the records that have arrived. Stores results without waking a thread, because only this thread waits
    /// for room.
    private func prepareArrivals() {
        let arrivals = state.withLock { state in
            defer { state.arrivals = [] }
            // With `failFast`, a failed record must stop the run before the next record is prepared.
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
                // Write finished records before the work, which may be slow.
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
        let isWanted = state.withLock { $0.wants(arrival.slot.sequence) && !$0.results.output.isOver }
        if isWanted, interruption.cause == nil {
            do {
                let context = WorkContext(emit: { self.emit($0, in: arrival.slot) }, wait: threads.wait)
                try interruption.during { try work(&record, context) }
                outcome = self.outcome(record, of: arrival.job)
            } catch is Cancelled, is SkippedRecord {
                // Nothing is written for the record.
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

    private func outcome(_ record: Record, of job: RecordJob) -> ReorderBuffer.Outcome {
        var outcome = ReorderBuffer.Outcome(record: record)
        if options.strict, job.record.hasError { job.record.addError(to: &outcome.tally) }
        return outcome
    }

    private func outcome(_ failure: any Failure, _ record: Record, _ arrival: Arrival) -> ReorderBuffer.Outcome {
        if let end = failure as? EndOfRun {
            // The caller of `run` reports this failure.
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
        // If only a part of each record is printed, it is printed once, from the final version.
        if options.layout.part != nil { return }
        update { $0.results.put(early: record, in: slot) }
    }

    /// Changes the state, writes finished records, and wakes the reading thread if it waits for room in the window.
    private func update(_ change: (inout State) -> Void) {
        let isClosed = state.update { state in
            change(&state)
            state.results.output.flush()
            return state.results.output.isClosed
        }
        if isClosed { interruption.cancel(.outputClosed) }
    }
}
