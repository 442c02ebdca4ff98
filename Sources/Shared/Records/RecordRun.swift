import Support

/// Takes records from a source through a tool to the output: in order, several at a time, failures as data.
///
/// Memory is bounded: records between reading and writing are at most as many, and take at most as many bytes, as the
/// window allows, however many there are. One that is larger than the window goes through it alone. With one job
/// everything happens on the calling thread; with more, each job is a plain thread, started when there is work for it.
public final class RecordRun: Sendable {
    private struct State {
        var output: RecordOutput
        var tally = ExitTally()
        /// Records that wait for a thread.
        var queue: [(sequence: Int, job: RecordJob)] = []
        /// Results that wait for an earlier one.
        var finished: [Int: Outcome] = [:]
        /// What was emitted of records that wait for an earlier one.
        var early: [Int: [Record]] = [:]
        var nextToRead = 0
        var nextToWrite = 0
        /// What records between reading and writing take, in bytes.
        var held = 0
        var outstanding = 0
        var idleThreads = 0
        var threads: [Thread] = []
        var isDone = false
        /// The first record that ended the run: what came before it is still worked on, what comes behind it no more.
        var lastWanted: Int?
        /// What ended the run before its input did.
        var end: EndOfRun?

        mutating func stop(at sequence: Int) { lastWanted = min(lastWanted ?? sequence, sequence) }
    }

    /// What became of a record.
    private struct Outcome {
        /// Nil where it leaves no trace.
        var record: Record?
        /// What it adds to the exit status, in the order of the records: the first failure is not that of the fastest.
        var tally = ExitTally()

        var footprint: Int { record?.footprint ?? 0 }
    }

    private let tool: any RecordTool
    private let options: RecordRunOptions
    private let log: Log
    private let failures: FailureLines
    private let interruption: Interruption
    private let progress: Progress
    private let state: Monitor<State>
    private let window: (records: Int, bytes: Int)

    /// As much as four of the longest records.
    private static let byteWindow = 4 * RecordReader.lengthLimit

    public convenience init(
        tool: any RecordTool, options: RecordRunOptions, output: File, log: Log, interruption: Interruption,
        progress: Progress = .none
    ) {
        self.init(
            tool: tool, options: options, output: output, log: log, interruption: interruption, progress: progress,
            byteWindow: Self.byteWindow)
    }

    /// - Parameter byteWindow: how many bytes of records may be between reading and writing.
    init(
        tool: any RecordTool, options: RecordRunOptions, output: File, log: Log, interruption: Interruption,
        progress: Progress = .none, byteWindow: Int
    ) {
        self.tool = tool
        self.options = options
        self.log = log
        failures = FailureLines(log: log)
        self.interruption = interruption
        self.progress = progress
        state = Monitor(State(output: RecordOutput(file: output, layout: options.layout, progress: progress)))
        // Room for the fast to run ahead of one slow record, small enough to be nothing in memory.
        window = (records: max(64, 4 * options.jobs), bytes: byteWindow)
    }

    /// Writes what has been collected; to be called whenever the source may have to wait.
    public func flush() {
        // Nobody waits for what is written, so nobody is woken.
        let isClosed = state.withLock { state in
            state.output.flush()
            return state.output.isClosed
        }
        if isClosed { interruption.cancel(.outputClosed) }
    }

    /// Runs until `next` gives nil, a failure stops the run, or nobody reads the output any more. Gives the exit
    /// status. Throws what `next` throws, after the records before it have left, the `EndOfRun` of a tool, and
    /// `SystemFailure` when the output cannot be written.
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
        let threads = state.wait { $0.outstanding == 0 ? $0.threads : nil }
        state.update { $0.isDone = true }
        for thread in threads { thread.join() }
        flush()
        failures.end()
        if let sourceError, !(sourceError is Cancelled) { throw sourceError }
        return try state.withLock { state throws in
            if let failure = state.output.failure { throw failure }
            if let part = options.layout.part, case let count = state.output.missing, count > 0 {
                log.error("there is no \(part) to print in \(count == 1 ? "a record" : "\(count) records")")
            }
            if let end = state.end { throw end }
            return state.tally.status
        }
    }

    private var isStopped: Bool {
        interruption.cause != nil
            || state.withLock { $0.lastWanted != nil || $0.output.isClosed || $0.output.failure != nil }
    }

    /// Whether nobody wants the result of this record any more.
    private func isInVain(_ sequence: Int) -> Bool {
        interruption.cause != nil
            || state.withLock { state in
                state.lastWanted.map { sequence > $0 } ?? false || state.output.isClosed || state.output.failure != nil
            }
    }

    private func take(_ job: RecordJob) {
        var job = job
        if job.record.bearsError {
            if options.retryErrors, job.record.bearsTransientError(of: tool.name) {
                job.record.remove("error")
            } else if !tool.acceptsErrors {
                return pass(job.record)
            }
        }
        guard tool.accepts(job) else { return pass(job.record) }
        var record = job.record
        if tool.processAtOnce(&record, argument: job.argument) {
            pass(record, insteadOf: job.record)
            progress.finishRecord(failed: false)
            return
        }
        if options.jobs == 1 {
            // What has passed is done, and must not wait for what takes long.
            flush()
            work(job, state.withLock { begin(job, &$0) })
        } else {
            enqueue(job)
        }
    }

    /// Lets a record go on that needs no more work.
    ///
    /// - Parameter original: as it came, where it was worked on.
    private func pass(_ record: Record, insteadOf original: Record? = nil) {
        waitForRoom(for: record.footprint)
        var outcome = Outcome(record: record)
        let original = original ?? record
        if options.strict, original.bearsError { original.addError(to: &outcome.tally) }
        // Nobody waits for a record that passes, so nobody is woken.
        state.withLock { state in
            let sequence = state.nextToRead
            state.nextToRead += 1
            deliver(outcome, sequence, &state)
        }
    }

    /// Turns a piece of input that is no record into a record that says so.
    private func reject(_ record: Record, _ failure: any Failure) {
        var record = record
        record.setError(failure, tool: tool.name)
        if let bad = failure as? any LineFailure { record.set("input_line", .integer(bad.line)) }
        failures.say(failure, about: RecordJob(record))
        waitForRoom(for: record.footprint)
        var outcome = Outcome(record: record)
        outcome.tally.add(failure)
        state.update { state in
            let sequence = state.nextToRead
            state.nextToRead += 1
            if options.failFast { state.stop(at: sequence) }
            deliver(outcome, sequence, &state)
        }
    }

    /// Counts a job as under way, and gives it its number.
    private func begin(_ job: RecordJob, _ state: inout State) -> Int {
        defer { state.nextToRead += 1 }
        state.outstanding += 1
        state.held += job.footprint
        return state.nextToRead
    }

    /// Waits until a slow record leaves room in the window for one more of this many bytes.
    private func waitForRoom(for bytes: Int) {
        func hasRoom(_ state: inout State) -> Void? {
            let hasBytes = state.held == 0 || state.held + bytes <= window.bytes
            return state.nextToRead - state.nextToWrite < window.records && hasBytes ? () : nil
        }
        if state.withLock({ hasRoom(&$0) }) != nil { return }
        flush()
        state.wait(for: hasRoom)
    }

    private func enqueue(_ job: RecordJob) {
        waitForRoom(for: job.footprint)
        let needsThread = state.update { state in
            state.queue.append((begin(job, &state), job))
            return state.idleThreads < state.queue.count && state.threads.count < options.jobs
        }
        guard needsThread else { return }
        if let thread = try? Thread.start({ [self] in loop() }) {
            state.update { $0.threads.append(thread) }
        } else if let entry = state.withLock({ $0.threads.isEmpty ? $0.queue.popLast() : nil }) {
            // The system refuses threads: the threads that there are do it, or else this one.
            work(entry.job, entry.sequence)
        }
    }

    /// One thread's life: jobs from the queue until the run is done.
    private func loop() {
        while true {
            state.withLock { $0.idleThreads += 1 }
            let entry = state.wait { state -> (sequence: Int, job: RecordJob)?? in
                if state.queue.isEmpty { return state.isDone ? .some(nil) : nil }
                state.idleThreads -= 1
                return .some(state.queue.removeFirst())
            }
            guard let entry else { return }
            work(entry.job, entry.sequence)
        }
    }

    /// Does one job and hands its result on.
    private func work(_ job: RecordJob, _ sequence: Int) {
        var outcome = Outcome()
        if !isInVain(sequence) {
            var record = job.record
            do {
                try interruption.during {
                    try tool.process(&record, argument: job.argument) { emit($0, sequence) }
                }
                if options.strict, job.record.bearsError { job.record.addError(to: &outcome.tally) }
                outcome.record = record
            } catch is Cancelled, is LeftOut {
                // As if the record had not come.
            } catch {
                let failure = failure(of: error)
                if let end = failure as? EndOfRun {
                    // Whoever catches it says it.
                    state.update { state in
                        state.end = state.end ?? end
                        state.stop(at: sequence)
                    }
                } else {
                    failures.say(failure, about: job)
                }
                tool.retract(&record, argument: job.argument)
                record.setError(failure, tool: tool.name)
                outcome.record = record
                outcome.tally.add(failure)
            }
        }
        if outcome.record != nil { progress.finishRecord(failed: outcome.tally.status != 0) }
        let isClosed = state.update { state in
            if options.failFast, outcome.tally.status != 0 { state.stop(at: sequence) }
            state.outstanding -= 1
            state.held -= job.footprint
            deliver(outcome, sequence, &state)
            state.output.flush()
            return state.output.isClosed
        }
        if isClosed { interruption.cancel(.outputClosed) }
    }

    /// Writes a record before its work is done, or keeps it until those before it are written. One that the window has
    /// no room for is dropped: the finished one, which says more, is still to come.
    private func emit(_ record: Record, _ sequence: Int) {
        // One part of each record is asked for, not one for each time that it leaves.
        if options.layout.part != nil { return }
        let isClosed = state.update { state in
            if options.unordered || sequence == state.nextToWrite {
                state.output.append(record, tally: &state.tally)
                state.output.flush()
            } else if state.held + record.footprint <= window.bytes {
                state.held += record.footprint
                state.early[sequence, default: []].append(record)
            }
            return state.output.isClosed
        }
        if isClosed { interruption.cancel(.outputClosed) }
    }

    /// Writes a result, or keeps it until those before it are written.
    private func deliver(_ outcome: Outcome, _ sequence: Int, _ state: inout State) {
        func write(_ outcome: Outcome) {
            state.tally.add(outcome.tally)
            if let record = outcome.record { state.output.append(record, tally: &state.tally) }
        }
        guard !options.unordered, sequence != state.nextToWrite else {
            write(outcome)
            state.nextToWrite += 1
            while true {
                for record in state.early.removeValue(forKey: state.nextToWrite) ?? [] {
                    state.held -= record.footprint
                    state.output.append(record, tally: &state.tally)
                }
                guard let next = state.finished.removeValue(forKey: state.nextToWrite) else { return }
                state.held -= next.footprint
                write(next)
                state.nextToWrite += 1
            }
        }
        state.held += outcome.footprint
        state.finished[sequence] = outcome
    }
}
