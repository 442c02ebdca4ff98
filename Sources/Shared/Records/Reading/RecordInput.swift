import Support

/// One thing for a tool to do: a record, and the plain argument that stood in for it, if one did.
public struct RecordJob: Sendable {
    public var record: Record
    public let argument: String?
    /// The line of the input on which the record began, counted from 1; nil for one that came from elsewhere.
    public let line: Int?

    public init(_ record: Record, argument: String? = nil, line: Int? = nil) {
        self.record = record
        self.argument = argument
        self.line = line
    }

    /// How many bytes of memory it takes.
    var footprint: Int { record.footprint + (argument?.utf8.count ?? 0) }
}

/// What a source of records gives: something to do, or something that is no record.
public enum RecordInput: Sendable {
    case job(RecordJob)
    /// Becomes this record with `error` added, and with `input_line` where the input has lines.
    case bad(any Failure, in: Record = Record())
}
