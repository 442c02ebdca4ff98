import Support

/// How records leave a tool.
public enum RecordLayout: Sendable, Equatable {
    /// One object a line.
    case lines
    /// Indented by two blanks, for eyes.
    case indented
    /// Only the values at these paths, one line a record, each line ended by this byte. A single value is written raw.
    /// Several are separated by tabs and escaped, so that each record stays one line of as many columns; a missing one
    /// is an empty column.
    case fields([FieldPath], terminator: UInt8)
    /// Text that is made of each record. One of which nothing can be made counts as a missing field does.
    case text(RecordText)

    /// Only the value at one path, raw.
    public static func field(_ path: FieldPath, terminator: UInt8) -> RecordLayout {
        .fields([path], terminator: terminator)
    }

    /// Reads field paths with commas between them, such as `date,variants.overlay.path`; blanks after a comma
    /// don't count. Nil if one of them is no path.
    ///
    /// - Parameter terminator: what ends each record's line: a line feed or NUL.
    public init?(fields text: String, terminator: UInt8 = UInt8(ascii: "\n")) {
        var paths: [FieldPath] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let path = FieldPath(String(part.drop { $0 == " " })) else { return nil }
            paths.append(path)
        }
        self = .fields(paths, terminator: terminator)
    }

    /// What is not there to print where a record has it not; nil if whole records are written.
    var part: String? {
        switch self {
        case .lines, .indented: nil
        case .fields(let paths, _):
            paths.count > 1
                ? paths.dropLast().map(\.description).joined(separator: ", ") + " or \(paths[paths.count - 1])"
                : paths.first?.description
        case .text(let text): text.part
        }
    }
}

/// Text made of records, one by one.
public struct RecordText: Sendable, Equatable {
    /// What it shows of a record, for the message that there is none: "address". Tells texts apart too.
    public let part: String
    /// What is written before the first text and after the last one, also if there is none.
    let head: String
    let foot: String
    /// What stands between the texts of two records.
    let separator: String
    /// Whether colours are the only control sequences in the texts.
    let isSafeForTerminal: Bool
    /// The text without its last line end; nil if there is nothing to show. Called by one thread at a time.
    let render: @Sendable (Record) -> String?

    public init(
        part: String, head: String = "", foot: String = "", separator: String = "",
        isSafeForTerminal: Bool = false, render: @escaping @Sendable (Record) -> String?
    ) {
        self.part = part
        self.head = head
        self.foot = foot
        self.separator = separator
        self.isSafeForTerminal = isSafeForTerminal
        self.render = render
    }

    public static func == (a: RecordText, b: RecordText) -> Bool { a.part == b.part }
}
