import Support

/// A template for file paths below a folder. No path leaves the folder.
///
/// Slashes in literal text, date patterns and defaults separate folders. In values, slashes, control characters and a
/// leading `.` or `-` become `_`, so no value hides a file, looks like an option, or leads to another folder. Invisible
/// characters, such as U+202E and U+200B, are removed, since they make a name look like a different name. Joiners
/// (U+200C, U+200D) stay between non-ASCII characters, because Persian, Indic scripts and emoji need them. Long names
/// are cut.
public struct NameTemplate: Sendable, Equatable {
    /// Names of values that the tools supply. These values take precedence over fields of the record.
    public static let builtIn = ["stem", "ext", "width", "height", "variant", "sha256"]

    /// The default names of originals and of variants.
    public static let original = NameTemplate("{stem}.{ext}", [.value("stem"), .text("."), .value("ext")])
    public static let variant = NameTemplate(
        "{stem}-{variant}.{ext}", [.value("stem"), .text("-"), .value("variant"), .text("."), .value("ext")])

    public let text: String
    private let template: Template

    private init(_ text: String, _ pieces: [Template.Piece]) {
        self.text = text
        template = Template(pieces)
    }

    /// Throws `TemplateFault` for an invalid template, or a template that leaves its folder.
    public init(_ text: String) throws(TemplateFault) {
        self.text = text
        template = try Template(text)
        if template.pieces.isEmpty { throw .noName }
        let names = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
        if names.contains(where: { ["", ".", ".."].contains($0) }) { throw .leadsElsewhere }
    }

    /// Whether the template has a field with this name.
    public func has(_ name: String) -> Bool { template.has(name) }

    /// Returns the path for a record, relative to the folder.
    ///
    /// - Parameter values: the values of the names in `builtIn`.
    public func path(for record: Record, _ values: [String: String]) throws(TemplateFailure) -> String {
        let parts = try template.parts { field in
            let name = field.description
            if Self.builtIn.contains(name) { return values[name] }
            // Text in a record is UTF-8: a carrier in it represents itself, not a foreign byte (see
            // `String.init(pathBytes:)`).
            return record.printable(field).map { String(pathBytes: $0.utf8) }
        }
        var path = PathBuilder()
        for part in parts { path.append(part) }
        return path.finished
    }
}

/// Builds a relative path from literal text and values.
private struct PathBuilder {
    /// The maximum length of a file name on Linux, in bytes.
    private static let longestName = 255
    /// The maximum length in bytes, dot included, of an extension that is kept when a name is cut.
    private static let longestEnding = 16

    private var names = [""]
    /// A zero-width joiner or non-joiner that follows a non-ASCII character. It is appended only if the next character
    /// is not ASCII either.
    private var joiner: Unicode.Scalar?

    mutating func append(_ part: Template.Part) {
        let (text, isOwn) =
            switch part {
            case .own(let text): (text, true)
            case .value(let text): (text, false)
            }
        for scalar in text.unicodeScalars {
            if isOwn, scalar == "/" {
                names.append("")
                joiner = nil
            } else {
                add(scalar, isOwn: isOwn)
            }
        }
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

    /// The path. Empty names and `.` become `_`, and `..` becomes `__`.
    var finished: String {
        names.enumerated().map { index, name in
            switch name {
            case "", ".": "_"
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
