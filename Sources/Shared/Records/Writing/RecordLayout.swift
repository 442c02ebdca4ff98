import Support

/// The format in which records are written.
public enum RecordLayout: Sendable, Equatable {
    /// One object per line.
    case lines
    /// Indented by two spaces per level.
    case indented
    /// The values at these paths, one record per line, with this line terminator. A single value is written raw.
    /// Several values are escaped and separated by tabs, so each record is one line with the same number of columns; a
    /// missing value is an empty column.
    case fields([FieldPath], terminator: UInt8)
    /// Text made from each record. A record without text is treated like a record with a missing field.
    case text(RecordText)

    /// Parses comma-separated field paths, such as `date,variants.overlay.path`. Ignores spaces after a comma. Returns
    /// nil if a path is invalid.
    public init?(fields text: String, terminator: UInt8 = UInt8(ascii: "\n")) {
        var paths: [FieldPath] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let path = FieldPath(String(part.drop { $0 == " " })) else { return nil }
            paths.append(path)
        }
        self = .fields(paths, terminator: terminator)
    }

    /// The name of the fields or the text that this layout prints, for messages. Nil if it prints whole records.
    var part: String? {
        switch self {
        case .lines, .indented: nil
        case .fields(let paths, _): paths.isEmpty ? nil : paths.map(\.description).list(before: "or")
        case .text(let text): text.part
        }
    }
}

/// A conversion of single records to text.
public struct RecordText: Sendable, Equatable {
    /// The name of the text, such as `address`, for messages and for `==`.
    public let part: String
    /// Written before the first and after the last text, even if no record has text.
    let head: String
    let foot: String
    /// Written between two texts.
    let separator: String
    /// Whether the texts contain no control sequences except colours.
    let isSafeForTerminal: Bool
    /// Returns the text without its last line end, or nil if there is nothing to show. Called by one thread at a time.
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
