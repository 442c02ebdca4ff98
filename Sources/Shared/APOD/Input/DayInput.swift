import Records
import Support

/// Days on standard input: records with a `date`, for `PictureTool` to add to, or plain lines, each of them a day, a
/// month or a year as `--date` takes it. Blank lines and what stands behind `#` don't count.
///
/// Lines that are there at once are asked for together, so that neighbouring days share a request. Memory: a few
/// windows' worth of pictures, however many lines there are.
public final class DayInput {
    private let client: APODClient
    private let progress: Progress
    private let lines: LineReader
    private let willWait: () -> Void
    /// Not nil if the input is records.
    private var records: RecordReader?
    private var isFirst = true
    /// What the lines read so far asked for.
    private var pictures: PictureSequence?
    /// What is wrong with the line behind those.
    private var bad: LineFailure?
    /// Days that the months and years of the lines have left out.
    private var gaps: Set<CalendarDay> = []

    /// So many days are asked for together at most; years may make it a few more.
    private static let batch = 1000

    /// - Parameters:
    ///   - progress: is told of each day of a line.
    ///   - willWait: called before pictures have to be waited for; the reader of lines has its own.
    public init(
        _ lines: LineReader, client: APODClient, progress: Progress = .none, willWait: @escaping () -> Void = {}
    ) {
        self.willWait = willWait
        self.lines = lines
        self.client = client
        self.progress = progress
    }

    /// Returns the next record, or nil at the end. Throws `SystemFailure` when reading fails, and as
    /// `PictureSequence.next` does.
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

    /// Takes the lines that are there, after waiting for one, up to one with something wrong about it; false at the
    /// end.
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

    /// Returns what a line asks for; nil if it says nothing. Throws `UsageFailure` if it is no day.
    private func plan(_ line: String) throws -> DayPlan? {
        let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
        if words.isEmpty { return nil }
        let time = client.clock.now()
        return try .named([NamedDays(typed: words.joined(separator: " "), at: time)], at: time)
    }
}
