import Support

/// A template for names of files below a folder, which they never leave.
///
/// Slashes of the template's own, also those between parts of a date and in a text that stands in, make folders. In
/// values, slashes and control characters become `_`, and so does a `.` or `-` at the beginning of a name: no value
/// hides a file, is taken for an option, or leads to another folder. Invisible
/// characters, such as U+202E and U+200B, are removed, since they make a name look like another one. Joiners (U+200C,
/// U+200D) stay between characters beyond ASCII: Persian, Indic scripts and emoji need them. Long names are cut.
public struct NameTemplate: Sendable, Equatable {
    /// The names that every tool gives a value of its own; a field of the record with such a name is not asked.
    public static let builtIn = ["stem", "ext", "width", "height", "variant", "sha256"]

    /// What files are called unless the user says otherwise: originals, and what is made of them.
    public static let original = NameTemplate("{stem}.{ext}", [.value("stem"), .text("."), .value("ext")])
    public static let variant = NameTemplate(
        "{stem}-{variant}.{ext}", [.value("stem"), .text("-"), .value("variant"), .text("."), .value("ext")])

    /// The template as it is written.
    public let text: String
    private let template: Template

    private init(_ text: String, _ pieces: [Template.Piece]) {
        self.text = text
        template = Template(pieces)
    }

    /// Throws `TemplateFault` for what is no template, and for one that would leave its folder.
    public init(_ text: String) throws(TemplateFault) {
        self.text = text
        template = try Template(text)
        if template.pieces.isEmpty { throw .noName }
        let names = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
        if names.contains(where: { ["", ".", ".."].contains($0) }) { throw .leadsElsewhere }
    }

    /// Whether the value of this name is part of the names.
    public func has(_ name: String) -> Bool { template.has(name) }

    /// Returns the path for a record, relative to the folder. Throws `TemplateFailure`.
    ///
    /// - Parameter values: those of the names in `builtIn`; one that is missing is missing, whatever the record says.
    public func path(for record: Record, _ values: [String: String]) throws(TemplateFailure) -> String {
        let parts = try template.parts { field in
            let name = field.description
            if Self.builtIn.contains(name) { return values[name] }
            // A record's text is never taken for bytes that are not UTF-8.
            return record.printable(field).map { String(pathBytes: $0.utf8) }
        }
        var path = GrowingPath()
        for part in parts {
            switch part {
            case .own(let text): path.append(own: text)
            case .value(let text): path.append(value: text)
            }
        }
        return path.finished
    }
}

/// A relative path that is put together of a template's own text and of values.
private struct GrowingPath {
    /// The most bytes of a name that Linux takes.
    private static let longestName = 255
    /// A dot with what follows is the ending of a name if it has no more bytes.
    private static let longestEnding = 16

    private var names = [""]
    /// A joiner that is kept if the next character is beyond ASCII.
    private var joiner: Unicode.Scalar?

    mutating func append(own text: String) {
        for scalar in text.unicodeScalars {
            if scalar == "/" {
                names.append("")
                joiner = nil
            } else {
                add(scalar, isOwn: true)
            }
        }
    }

    mutating func append(value text: String) {
        for scalar in text.unicodeScalars { add(scalar, isOwn: false) }
    }

    private mutating func add(_ scalar: Unicode.Scalar, isOwn: Bool) {
        let last = names.count - 1
        if let joiner, !scalar.isASCII, !scalar.isUnseen { names[last].unicodeScalars.append(joiner) }
        let isJoining = scalar.isJoiner && names[last].unicodeScalars.last.map { !$0.isASCII } ?? false
        joiner = isJoining ? scalar : nil
        if scalar.isUnseen, !scalar.isControl { return }
        let isLeading = !isOwn && names[last].isEmpty && (scalar == "." || scalar == "-")
        names[last].unicodeScalars.append(isLeading || scalar.isControl || scalar == "/" ? "_" : scalar)
    }

    /// The path, without a name that is empty or stands for a folder.
    var finished: String {
        names.enumerated().map { index, name in
            switch name {
            case "": "_"
            case ".": "_"
            case "..": "__"
            default: Self.shortened(name, keepsEnding: index == names.count - 1)
            }
        }.joined(separator: "/")
    }

    private static func shortened(_ name: String, keepsEnding: Bool) -> String {
        guard name.pathBytes.count > longestName else { return name }
        var ending = ""
        if keepsEnding, let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex {
            let rest = String(name[dot...])
            if rest.pathBytes.count <= longestEnding { ending = rest }
        }
        let stem = String(name.unicodeScalars.dropLast(ending.unicodeScalars.count))
        return stem.cut(toBytes: longestName - ending.pathBytes.count) + ending
    }
}
