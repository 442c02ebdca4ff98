import Records
import Support

/// Reads days from standard input: records with a `date` for `PictureTool`, or lines in the form of `--date`: a day,
/// month, year or range. Ignores blank lines and comments after `#`.
///
/// The days of all lines that are available without waiting are requested together, so that one request can return
/// neighbouring days. Only a few windows of pictures are in memory at a time, for any number of lines.
public final class DayInput {
    private let client: APODClient
    private let progress: Progress
    private let lines: LineReader
    private let willWait: () -> Void
    /// The reader of the input if it consists of records, otherwise nil.
    private var records: RecordReader?
    private var isFirst = true
    /// The pictures for the lines that have been read.
    private var pictures: PictureSequence?
    /// The failure of the invalid line that follows the lines of `pictures`.
    private var bad: LineFailure?
    /// Days of the requested months and years that never had a picture.
    private var gaps: Set<CalendarDay> = []

    /// The number of days after which no further line is added to a batch. A line with a year may exceed it.
    private static let batch = 1000

    /// - Parameter willWait: called before `next` waits for pictures. `lines` has its own callback, which is called
    ///   before waiting for input.
    public init(
        _ lines: LineReader, client: APODClient, progress: Progress = .none, willWait: @escaping () -> Void = {}
    ) {
        self.willWait = willWait
        self.lines = lines
        self.client = client
        self.progress = progress
    }

    /// Returns the next record, or nil at the end. Throws `SystemFailure` if reading fails, and the errors of
    /// `PictureSequence.next`.
    public func next() throws -> RecordInput? {
        if isFirst {
            isFirst = false
            if try lines.beginsRecords() { records = RecordReader(continuing: lines) }
        }
        if let records { return try records.next() }
        while true {
            if let input = try pictures?.nextInput(progress, willWait: willWait) { return input }
            pictures = nil
            if let bad {
                self.bad = nil
                return .bad(bad)
            }
            guard try readOn() else {
                DayPlan.noteGaps(gaps.sorted(), client.log)
                return nil
            }
        }
    }

    /// Reads the lines that are available without waiting, and at least one. Stops at the first invalid line. Returns
    /// false at the end of the input.
    private func readOn() throws -> Bool {
        var steps: [DayPlan.Step] = []
        while steps.isEmpty || steps.count < Self.batch && lines.hasLine, bad == nil, let item = try lines.next() {
            switch item {
            case .bad(let failure): bad = failure
            case .line(let line):
                do {
                    guard let plan = try plan(line.text) else { continue }
                    steps += plan.steps
                    gaps.formUnion(plan.gaps)
                } catch {
                    bad = LineFailure(APODFailure.badDate(reason: failure(of: error).message), line: line.number)
                }
            }
        }
        if !steps.isEmpty { pictures = client.pictures(DayPlan(steps: steps)) }
        return !steps.isEmpty || bad != nil
    }

    /// Returns the plan for a line, or nil for an empty line. Throws `UsageFailure` if the line is not a day.
    private func plan(_ line: String) throws -> DayPlan? {
        let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
        if words.isEmpty { return nil }
        let time = client.clock.now()
        return try .named([NamedDays(typed: words.joined(separator: " "), at: time)], at: time)
    }
}

extension PictureSequence {
    /// Returns the next day's result as input for `PictureTool`, or nil at the end. Throws the errors of `next`.
    public func nextInput(_ progress: Progress, willWait: () -> Void) throws -> RecordInput? {
        guard let result = try next(willWait: willWait) else { return nil }
        progress.finishRecord(failed: result.failure != nil)
        let record = result.record
        if let failure = result.failure { return .bad(failure, in: record) }
        return .job(RecordJob(record, argument: result.day.description))
    }
}
