import CacheTools
import Options
import Records
import Support

extension AnyOption {
    public static let jobs = Option.number(
        "jobs", short: "j", .records, in: 1...256, field: "jobs", summary: "Run this many jobs at once."
    ).whenUnset(Work.jobsInWords)

    public static let unordered = Option.flag(
        "unordered", .records, summary: "Write each record as soon as it is done.",
        manual: "By default, records are written in the order of the input.")

    public static let failFast = Option.flag("fail-fast", .records, summary: "Stop at the first failure.")

    public static let strict = Option.flag(
        "strict", .records, summary: "Also fail for input records with an error.",
        manual: """
            The exit status then includes the errors of earlier tools. Use it in shells without pipefail, such as \
            Make's.
            """)

    public static let retryErrors = Option.flag(
        "retry-errors", .records, summary: "Retry records with a temporary error of this tool.",
        manual: "Use it to process a saved stream again.")

    public static let print = Option<RecordLayout>(
        "print", form: .value("FIELD"),
        expected: "a field, or several with commas, such as path or cache.key,cache.bytes", group: .records,
        summary: "Print this field instead of the record.",
        manual: """
            A field is a dotted path such as variants.overlay.path. Several fields, separated by commas, become \
            columns. A single field is printed unchanged. Columns are separated by tabs, and contain \\t, \\n, \\r and \
            \\\\ instead of tabs, line ends and backslashes.
            """, read: { RecordLayout(fields: $0) })

    public static let nullTerminated = Option.flag(
        "null", short: "0", .records, summary: "End printed lines with NUL instead of a line feed.")

    public static let nullData = Option.flag(
        "null-data", short: "z", .records, summary: "Input lines end with NUL, as from find -print0.")

    public static let pretty = Option.flag("pretty", .records, summary: "Indent the records.")

    /// Returns the option `--field`, which assigns fields of a record to the texts that a tool needs.
    ///
    /// - Parameters:
    ///   - names: the names of the texts.
    ///   - single: the names that take a single field. The other names take a list of fields in order of preference.
    ///   - isOptional: whether the list may be empty.
    ///   - expected: a description of the valid values for errors.
    public static func recordFields(
        _ names: [String], single: [String] = [], isOptional: Bool = false, _ group: OptionGroup, expected: String,
        summary: String, manual: String = ""
    ) -> Option<NamedFields> {
        Option(
            "field", synonyms: names.map { "\($0)-field" }, form: .value("NAME=FIELDS"), expected: expected,
            completion: .list(names.map { "\($0)=" }), group: group, repeats: true, summary: summary, manual: manual
        ) { text in
            guard let named = NamedFields(text), names.contains(named.name) else { return nil }
            switch named.fields.count {
            case 0: return isOptional ? named : nil
            case 1: return named
            default: return single.contains(named.name) ? nil : named
            }
        }
    }

    public static let json = Option.flag("json", .records, summary: "Write records even on a terminal.")
}

/// The kind of work that a command does. The raw value is the default of `--jobs`; 0 means one job per core.
public enum Work: Int, Sendable {
    case pictures = 0
    case lookups = 1
    case prefetches = 2
    case gifs = 3
    case days = 4
    case downloads = 6
    case transfers = 8

    var jobs: Int { self == .pictures ? Thread.processors : rawValue }

    static var jobsInWords: String {
        let counted: [(Work, String)] = [
            (.downloads, "downloads"), (.prefetches, "prefetch"), (.gifs, "GIFs"), (.days, "days"),
            (.transfers, "transfers to and from a remote"), (.lookups, "lookups"),
        ]
        return counted.map { "\($0.rawValue) for \($1)" }.joined(separator: ", ") + ", else one per core"
    }
}

extension [AnyOption] {
    /// The options of a command that only writes records.
    public static let recordOutput: [AnyOption] = [.print, .nullTerminated, .pretty]

    /// The options of a command that processes a stream of records.
    public static let stream: [AnyOption] = [
        .jobs, .unordered, .failFast, .strict, .retryErrors, .nullData, .print, .nullTerminated, .pretty,
    ]
}

/// A value of `--field`, such as `url=hdurl,image.url`.
public struct NamedFields: Sendable {
    public let name: String
    public let fields: [FieldPath]

    /// Returns nil unless the text is a name, `=` and a list of fields, which may be empty.
    init?(_ text: String) {
        let pieces = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pieces.count == 2 else { return nil }
        name = String(pieces[0])
        if pieces[1].isEmpty {
            fields = []
        } else {
            guard let list = PictureAddresses(list: String(pieces[1])) else { return nil }
            fields = list.fields
        }
    }
}

extension Arguments {
    /// Returns the fields of the last `--field` with this name, or nil.
    public func fields(_ option: Option<NamedFields>, _ name: String) -> [FieldPath]? {
        all(option).last { $0.name == name }?.fields
    }
}
