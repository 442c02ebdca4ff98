import Images
import Records
import Support

/// Names files in an output folder after a template such as `{stem}-{variant}.{ext}`.
///
/// Nothing that a stranger wrote gets into a name: `{stem}` is that of the source's own file, `{date}` must be a day of
/// the calendar.
public struct OutputNaming: Sendable {
    public static let standardTemplate = "{stem}-{variant}.{ext}"
    private static let fields = ["stem", "variant", "ext", "width", "height", "date"]

    private enum Piece: Sendable {
        case text(String)
        case field(String)

        var isVariant: Bool { if case .field("variant") = self { true } else { false } }
        var isStem: Bool { if case .field("stem") = self { true } else { false } }
    }

    private let folder: String
    private let pieces: [Piece]
    /// The names given out in this run, so that none is given twice.
    private let taken = Monitor(Set<String>())

    /// Throws `UsageFailure` for a template with unknown fields or with a slash.
    public init(folder: String, template: String = standardTemplate) throws {
        self.folder = folder
        var pieces: [Piece] = []
        var rest = template[...]
        guard !template.contains("/"), !template.isEmpty else {
            throw UsageFailure("--name-template names files, not folders: \"\(template)\"; see --output-dir")
        }
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw UsageFailure("--name-template lacks a closing brace: \"\(template)\"")
            }
            let field = String(rest[rest.index(after: open)..<close])
            guard Self.fields.contains(field) else {
                throw UsageFailure(
                    "--name-template knows no {\(field)}\(NearMatch.advice(for: field, among: Self.fields)); it knows "
                        + Self.fields.map { "{\($0)}" }.joined(separator: ", "))
            }
            pieces += [.text(String(rest[..<open])), .field(field)]
            rest = rest[rest.index(after: close)...]
        }
        self.pieces = pieces + [.text(String(rest))]
    }

    /// Whether two variants of one picture have two names.
    var namesVariants: Bool { pieces.contains(where: \.isVariant) }

    /// The path for one variant of one picture. Throws `OutputFailure`: `taken` where this run has written it already,
    /// `noDate` where the record has no day and the template wants one.
    ///
    /// - Parameters:
    ///   - isNumbered: whether a number is added to a stem that is taken, which is then nobody's name.
    ///   - own: paths that this record has been given before, and may have again.
    func path(
        stem: String, variant: Variant, format: OutputFormat, record: Record, isNumbered: Bool = false,
        own: Set<String> = []
    ) throws -> String {
        var number = 1
        while true {
            do {
                let stem = number == 1 ? stem : "\(stem)-\(number)"
                return try path(named: stem, variant: variant, format: format, record: record, own: own)
            } catch let failure as OutputFailure {
                guard case .taken = failure, isNumbered, pieces.contains(where: \.isStem), number < 1_000_000 else {
                    throw failure
                }
                number += 1
            }
        }
    }

    private func path(
        named stem: String, variant: Variant, format: OutputFormat, record: Record, own: Set<String>
    ) throws -> String {
        let name = try pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .field("stem"): stem
            case .field("variant"): variant.name
            case .field("ext"): format.fileExtension
            case .field("width"): variant.geometry.box.width.map(String.init) ?? ""
            case .field("height"): variant.geometry.box.height.map(String.init) ?? ""
            default: try day(of: record)
            }
        }.joined()
        let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
        guard own.contains(path) || taken.withLock({ $0.insert(path).inserted }) else {
            throw OutputFailure.taken(path: path)
        }
        return path
    }

    /// A file's name without folder and extension.
    static func stem(_ path: String) -> String {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map(Substring.init) ?? path[...]
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return String(name) }
        return String(name[..<dot])
    }

    private func day(of record: Record) throws -> String {
        guard let day = record.string("date").flatMap({ CalendarDay($0) }) else { throw OutputFailure.noDate }
        return day.description
    }
}

/// An output that cannot be named or placed.
public enum OutputFailure: Failure, Equatable {
    case taken(path: String)
    case noDate

    public var code: String {
        switch self {
        case .taken: "output-collision"
        case .noDate: "no-date"
        }
    }

    public var message: String {
        switch self {
        case .taken(let path): "two pictures of this run would be written to \(path); use another --name-template"
        case .noDate: "the record has no field date, which the --name-template wants"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .taken: .cannotCreate
        case .noDate: .data
        }
    }
}
