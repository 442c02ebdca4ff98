import Options
import Records
import Support

/// The items that a command processes, named by operands or standard input.
public struct InputItems {
    /// The description of the items in the error for missing input, such as "addresses or files".
    let expected: String
    let operands: [String]
    /// Turns an operand into a job. An error becomes a failed record.
    let operand: (String) throws -> RecordJob
    /// Turns a line of standard input into a job. A line has the syntax of an operand, but is as untrusted as a record.
    let line: (String) throws -> RecordJob

    public init(
        _ expected: String, _ operands: [String], operand: @escaping (String) throws -> RecordJob,
        line: ((String) throws -> RecordJob)? = nil
    ) {
        self.expected = expected
        self.operands = operands
        self.operand = operand
        self.line = line ?? operand
    }

    /// Returns items whose operands and lines may also be paths of cache entries. In a line, such a path is harmless,
    /// because it leads to no file outside the cache.
    ///
    /// - Parameter isEntryPath: returns whether a text is the path of an entry.
    func taking(_ isEntryPath: @escaping (String) -> Bool) -> InputItems {
        func job(_ text: String, _ other: (String) throws -> RecordJob) rethrows -> RecordJob {
            isEntryPath(text) ? RecordJob(Record(), argument: text) : try other(text)
        }
        return InputItems(expected, operands, operand: { try job($0, operand) }, line: { try job($0, line) })
    }

    var areInInput: Bool { operands.isEmpty || operands.contains("-") }
}

/// The error for a line of standard input that names a file. Only arguments may name files.
public struct FileInLine: Failure {
    let path: String

    public init(path: String) { self.path = path }

    public var code: String { "path-not-allowed" }
    public var message: String {
        "\(path) is a file, and lines of standard input must not name files; pass it as an argument, as with xargs"
    }
    public var exitCode: ExitCode { .notAllowed }
}

final class JobSource {
    private let context: ToolContext
    private let items: InputItems
    private var rest: ArraySlice<String>
    /// The readers of standard input for records and for lines. The first byte of the input determines which reader is
    /// set. Both are nil while standard input is not being read.
    private var records: RecordReader?
    private var lines: LineReader?

    /// Throws `UsageFailure` if there are no operands and standard input is a terminal.
    init(_ context: ToolContext, _ items: InputItems) throws {
        if items.operands.isEmpty, Terminal.isTerminal(0) {
            throw UsageFailure(
                "no input; give \(items.expected) as arguments, or as lines or records on standard input; see "
                    + "\(context.arguments.path.line) --help")
        }
        self.context = context
        self.items = items
        rest = (items.operands.isEmpty ? ["-"] : items.operands)[...]
    }

    /// The number of jobs, or nil if some come from standard input.
    var count: Int? { items.areInInput ? nil : items.operands.count }

    func next(flush: @escaping () -> Void) throws -> RecordInput? {
        while true {
            if let input = try nextOfInput() { return input }
            guard let operand = rest.popFirst() else { return nil }
            if operand != "-" { return input { try items.operand(operand) } }
            let reader = try context.standardInput(flush)
            if try reader.beginsRecords() { records = RecordReader(continuing: reader) } else { lines = reader }
        }
    }

    private func nextOfInput() throws -> RecordInput? {
        if let records {
            if let input = try records.next() { return input }
            self.records = nil
        }
        while let line = try lines?.next() {
            switch line {
            case .bad(let failure): return .bad(failure)
            case .line(let line):
                if line.text.isEmpty { continue }
                do {
                    return .job(try items.line(line.text))
                } catch {
                    return .bad(LineFailure(failure(of: error), line: line.number))
                }
            }
        }
        lines = nil
        return nil
    }

    private func input(_ job: () throws -> RecordJob) -> RecordInput {
        do { return .job(try job()) } catch { return .bad(failure(of: error)) }
    }
}
