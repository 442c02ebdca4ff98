import Support

/// Text with fields in braces, such as `{date:%Y/%m}/{title:40|untitled}.{ext}`: the syntax of every option that makes
/// text from a record.
///
/// | syntax | result |
/// | --- | --- |
/// | `{name}` | the tool's value of this name, else the field of the record |
/// | `{name:40}` | the value, cut between characters to at most 40 bytes of UTF-8 |
/// | `{name:%Y-%m}` | parts of a day or a time, see `DatePattern` |
/// | `{name\|text}` | this text if there is no value |
/// | `{{`, `}}` | a literal brace |
public struct Template: Sendable, Equatable {
    enum Piece: Sendable, Equatable {
        case text(String)
        case field(Field)

        static func value(_ path: FieldPath) -> Piece { .field(Field(path: path)) }
    }

    struct Field: Sendable, Equatable {
        enum Form: Sendable, Equatable {
            case whole
            /// The maximum in bytes.
            case cut(Int)
            case date(DatePattern)
        }

        var path: FieldPath
        var form = Form.whole
        var fallback: String?
    }

    /// A piece of the result.
    enum Part: Equatable {
        /// Written by the template's author.
        case own(String)
        /// Taken from a record.
        case value(String)
    }

    let pieces: [Piece]

    init(_ pieces: [Piece]) { self.pieces = pieces }

    /// Throws `TemplateFault` for an invalid template.
    public init(_ text: String) throws(TemplateFault) {
        var pieces: [Piece] = []
        var own = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if "{}".unicodeScalars.contains(scalar), rest.first == scalar {
                own.unicodeScalars.append(scalar)
                rest.removeFirst()
            } else if scalar == "{" {
                guard let close = rest.firstIndex(of: "}") else { throw .unclosed }
                pieces += [.text(own), .field(try Self.field(String(rest[..<close])))]
                own = ""
                rest = rest[close...].dropFirst()
            } else {
                own.unicodeScalars.append(scalar)
            }
        }
        self.pieces = (pieces + [.text(own)]).filter { $0 != .text("") }
    }

    /// Parses the text between a pair of braces.
    private static func field(_ text: String) throws(TemplateFault) -> Field {
        var name = text
        var fallback: String?
        if let bar = text.unicodeScalars.firstIndex(of: "|") {
            name = String(text[..<bar])
            fallback = String(text.unicodeScalars[bar...].dropFirst())
        }
        var form = Field.Form.whole
        if let colon = name.unicodeScalars.firstIndex(of: ":") {
            let words = String(name.unicodeScalars[colon...].dropFirst())
            name = String(name[..<colon])
            if let limit = Int(words), limit > 0 {
                form = .cut(limit)
            } else if let pattern = DatePattern(words) {
                form = .date(pattern)
            } else {
                throw .badForm(words)
            }
        }
        guard let path = FieldPath(name) else { throw .noField(text) }
        return Field(path: path, form: form, fallback: fallback)
    }

    /// Whether the template has a field with this name.
    public func has(_ name: String) -> Bool {
        pieces.contains { if case .field(let field) = $0 { field.path.description == name } else { false } }
    }

    /// Returns the text for a record. Values are inserted unchanged.
    public func text(for record: Record) throws(TemplateFailure) -> String {
        try parts { record.printable($0) }.map { part in
            switch part {
            case .own(let text), .value(let text): text
            }
        }.joined()
    }

    /// Inserts the values into the template. Throws if a field without a default has no value, an empty value, or a
    /// value that does not fit its date pattern.
    func parts(_ value: (FieldPath) -> String?) throws(TemplateFailure) -> [Part] {
        var parts: [Part] = []
        for piece in pieces {
            switch piece {
            case .text(let text): parts.append(.own(text))
            case .field(let field): parts.append(try Self.part(field, value(field.path) ?? ""))
            }
        }
        return parts
    }

    private static func part(_ field: Field, _ value: String) throws(TemplateFailure) -> Part {
        if value.isEmpty {
            guard let fallback = field.fallback else { throw .missing(field: field.path.description) }
            return .own(fallback)
        }
        switch field.form {
        case .whole: return .value(value)
        case .cut(let limit): return .value(value.cut(toBytes: limit))
        case .date(let pattern):
            if let words = pattern.words(of: value) { return .own(words) }
            guard let fallback = field.fallback else { throw .noDate(field: field.path.description, value: value) }
            return .own(fallback)
        }
    }
}

/// Why a template is invalid.
public enum TemplateFault: Failure, Equatable {
    case unclosed
    case noField(String)
    case badForm(String)
    /// A file's name would be empty.
    case noName
    case leadsElsewhere

    public var code: String { "bad-template" }
    public var exitCode: ExitCode { .usage }

    public var message: String {
        switch self {
        case .unclosed: "a closing brace is missing; write {{ for a literal brace"
        case .noField(let text): "{\(text)} is not a field; write {{ for a literal brace"
        case .badForm(let words):
            "\":\(words)\" is neither a number of bytes, as in {title:40}, nor a date format with"
                + " \(DatePattern.specifiers), as in {date:%Y/%m}"
        case .noName: "the template has no file name"
        case .leadsElsewhere:
            "the template must not leave its folder; no part before or after a slash may be empty, . or .."
        }
    }
}

/// Why a template cannot be filled in from a record.
public enum TemplateFailure: Failure, Equatable {
    case missing(field: String)
    case noDate(field: String, value: String)

    public var code: String {
        switch self {
        case .missing: "missing-field"
        case .noDate: "no-date"
        }
    }

    public var exitCode: ExitCode { .data }

    public var message: String {
        switch self {
        case .missing(let field):
            "the record has no \(field), which the template requires"
                + NearMatch.advice(for: field, among: NameTemplate.builtIn.filter { $0 != field })
                + "; use {\(field)|text} for a default"
        case .noDate(let field, let value):
            "the record's \(field) \"\(value.cut(toBytes: 100))\" is not a date with the parts that the template requires"
        }
    }
}
