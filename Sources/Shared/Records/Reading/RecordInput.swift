import Support

/// A record to be processed, and its origin.
public struct RecordJob: Sendable {
    public var record: Record
    /// The command-line argument from which the record was made.
    public let argument: String?
    /// The input line of the record's first byte, counted from 1.
    public let line: Int?

    public init(_ record: Record, argument: String? = nil, line: Int? = nil) {
        self.record = record
        self.argument = argument
        self.line = line
    }

    /// Memory in bytes.
    var footprint: Int { record.footprint + (argument?.utf8.count ?? 0) }
}

/// An item of the input.
public enum RecordInput: Sendable {
    case job(RecordJob)
    /// Invalid input. The output gets this record instead, with `error` added, and `input_line` if the failure is a
    /// `LineFailure`.
    case bad(any Failure, in: Record = Record())
}
