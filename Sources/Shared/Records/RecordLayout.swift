/// How records leave a tool.
public enum RecordLayout: Sendable, Equatable {
    /// One object a line.
    case lines
    /// Indented by two blanks, for eyes.
    case indented
    /// Only the value at this path, raw, each ended by this byte.
    case field(FieldPath, terminator: UInt8)
    /// Text that is made of each record. One of which nothing can be made counts as a missing field does.
    case text(RecordText)

    /// What is not there to print where a record has it not; nil where whole records are written.
    var part: String? {
        switch self {
        case .lines, .indented: nil
        case .field(let path, _): path.description
        case .text(let text): text.part
        }
    }
}

/// Text made of records, one by one.
public struct RecordText: Sendable, Equatable {
    /// What it shows of a record, for the message that there is none: "address". Tells texts apart too.
    public let part: String
    /// What stands between the texts of two records.
    let separator: String
    /// The text without its last line end; nil where there is nothing to show. Called by one thread at a time.
    let render: @Sendable (Record) -> String?

    public init(part: String, separator: String = "", render: @escaping @Sendable (Record) -> String?) {
        self.part = part
        self.separator = separator
        self.render = render
    }

    public static func == (a: RecordText, b: RecordText) -> Bool { a.part == b.part }
}
