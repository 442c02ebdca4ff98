import Support

/// Takes records from a source through a tool to the output: in order, several at a time, failures as data.
///
/// Records that have arrived together are prepared together. Memory is bounded: records between reading and writing are
/// at most as many, and take at most as many bytes, as the window allows, however many there are. With one job
/// everything happens on the calling thread; with more, each job is a plain thread.
public final class RecordRun: Sendable {
    /// A record that has come, and its place among the others.
    private struct Arrival: Sendable {
        let job: RecordJob
        let slot: ReorderBuffer.Slot
    }

    private struct State {
        var results: ReorderBuffer
        /// Records that nobody has looked at yet.
        var arrivals: [Arrival] = []
        /// How many of them are prepared together. It begins with one, so that the first record leaves soon even if its
        /// source never says that it has to wait.
        var batchSize = 1
        /// The first record that ended the run: what came before it is still worked on, what comes behind it no more.
        var lastWanted: Int?
        /// What ended the run before its input did.
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
    /// How many records are prepared together at most.
    private static let batchLimit = 64

    /// - Parameter byteWindow: how many bytes of records may be between reading and writing: as many as four of the
    ///   longest records have.
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
        // Large enough for fast records to run ahead of a slow record, small enough for memory.
        let recordWindow = max(64, 4 * options.jobs)
        // Work that waits for earlier records keeps files open.
        threads = WorkThreads(limit: options.jobs, most: OpenFiles.jobs(recordWindow, limit: OpenFiles.limit))
        let results = ReorderBuffer(
            output: RecordOutput(file: output, layout: options.layout, progress: progress),
            isOrdered: !options.unordered,
            window: (records: recordWindow, bytes: byteWindow))
        state = Monitor(State(results: results))
    }

    /// Takes on the records that have arrived, and writes what is done; to be called by the source whenever it may have
    /// to wait.
    public func flush() {
        prepareArrivals()
        update { _ in }
    }

    /// Runs until `next` gives nil, a failure stops the run, or nobody reads the output any more. Returns the exit
    /// status. Throws what `next` throws, after the records before it have left, the `EndOfRun` of a tool, and
    /// `SystemFailure` if the output cannot be written.
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
        // What is done must not wait for what is not.
        flush()
        threads.finish()
        failures.end()
        if let sourceError, !(sourceError is Cancelled) { throw sourceError }
        return try state.withLock { state throws in
            if sourceError == nil, interruption.cause == nil, state.end == nil { state.results.finish() }
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
        if job.record.bearsError {
            if options.retryErrors, job.record.bearsTransientError(of: tool.name) {
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

    /// Lets a record go on untouched.
    private func pass(_ job: RecordJob) {
        let slot = reserve(job.record.footprint)
        state.withLock { $0.results.put(outcome(job.record, of: job), in: slot) }
    }

    /// Turns a piece of input that is no record into a record that says so.
    private func reject(_ record: Record, _ failure: any Failure) {
        var record = record
        record.setError(failure, tool: tool.name)
        if let bad = failure as? LineFailure { record.set("input_line", .integer(bad.line)) }
        failures.say(failure, about: RecordJob(record))
        var outcome = ReorderBuffer.Outcome(record: record)
        outcome.tally.add(failure)
        let slot = reserve(record.footprint)
        state.withLock { state in
            if options.failFast { state.stop(at: slot.sequence) }
            state.results.put(outcome, in: slot)
        }
    }

    /// The place of a record of so many bytes, once there is room for it.
    private func reserve(_ bytes: Int) -> ReorderBuffer.Slot {
        if let slot = state.withLock({ $0.results.reserve(bytes) }) { return slot }
        flush()
        return state.wait { $0.results.reserve(bytes) }
    }

    /// Has the tool look at the records that have arrived. Those that it is done with leave; there is no other thread
    /// to wake for them.
    private func prepareArrivals() {
        let arrivals = state.withLock { state in
            defer { state.arrivals = [] }
            // With `failFast` each record decides about the next.
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
                // What is done must not wait for what takes long.
                update { _ in }
                perform(work, arrival)
            case .work(let work): threads.add { [self] in perform(work, arrival) }
            }
        }
    }

    // MARK: On any thread

    /// Does the work on a record, and hands the result on.
    private func perform(_ work: Prepared.Work, _ arrival: Arrival) {
        var outcome = ReorderBuffer.Outcome()
        var record = arrival.job.record
        if isWanted(arrival.slot) {
            do {
                let context = WorkContext(emit: { self.emit($0, in: arrival.slot) }, wait: threads.wait)
                try interruption.during { try work(&record, context) }
                outcome = self.outcome(record, of: arrival.job)
            } catch is Cancelled, is LeftOut {
                // As if the record had not come.
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

    /// Whether anybody wants the result of a record any more.
    private func isWanted(_ slot: ReorderBuffer.Slot) -> Bool {
        interruption.cause == nil && state.withLock { $0.wants(slot.sequence) && !$0.results.output.isOver }
    }

    /// What becomes of a record that did not fail.
    private func outcome(_ record: Record, of job: RecordJob) -> ReorderBuffer.Outcome {
        var outcome = ReorderBuffer.Outcome(record: record)
        if options.strict, job.record.bearsError { job.record.addError(to: &outcome.tally) }
        return outcome
    }

    /// What becomes of a record that failed.
    private func outcome(_ failure: any Failure, _ record: Record, _ arrival: Arrival) -> ReorderBuffer.Outcome {
        if let end = failure as? EndOfRun {
            // It is reported where it is caught.
            state.withLock { state in
                state.end = state.end ?? end
                state.stop(at: arrival.slot.sequence)
            }
        } else {
            failures.say(failure, about: arrival.job)
        }
        var record = record
        tool.retract(&record, argument: arrival.job.argument)
        record.setError(failure, tool: tool.name)
        var outcome = ReorderBuffer.Outcome(record: record)
        outcome.tally.add(failure)
        return outcome
    }

    /// Writes a record before its work is done.
    private func emit(_ record: Record, in slot: ReorderBuffer.Slot) {
        // One part of each record is asked for, not one for each time that it leaves.
        if options.layout.part != nil { return }
        update { $0.results.put(early: record, in: slot) }
    }

    /// Changes the state, writes what has left, and wakes the thread that reads if it waits for room.
    private func update(_ change: (inout State) -> Void) {
        let isClosed = state.update { state in
            change(&state)
            state.results.flush()
            return state.results.output.isClosed
        }
        if isClosed { interruption.cancel(.outputClosed) }
    }
}
