import Support

/// One option or setting, defined once: parser, help, manuals, completions, the checks of the configuration file and
/// the reference of the settings all come from it.
///
/// `@unchecked Sendable`: every stored property is a `let` of a Sendable type, here and in the one subclass, `Option`.
public class AnyOption: @unchecked Sendable {
    /// How the option is written on a command line.
    public enum Form: Sendable, Equatable {
        /// `--quiet`: means this value; `--no-NAME` means the other one if the option can be negated.
        case flag(means: Bool, isNegatable: Bool)
        /// `--jobs N`.
        case value(String)
        /// `--date [DAY]`: without a value it means this one.
        case optionalValue(String, implied: String)
        /// Not an option: only set by the environment or the configuration file.
        case none
    }

    /// The long name without its dashes; for a setting that is no option, the field with `-` for `_`.
    public let name: String
    /// Other names that users may try, for suggestions.
    let synonyms: [String]
    public let short: Character?
    public let form: Form
    fileprivate let fixedExpected: String
    fileprivate let fixedCompletion: Completion
    /// The values, if they are only listed on demand.
    fileprivate let choices: (@Sendable () -> [String])?
    /// One or two sentences for the help.
    public let summary: String
    /// Another paragraph, for the manual.
    public let manual: String
    /// The default in words; empty if there is none.
    public let standard: String
    /// The environment variable, by default `APOD_TOOLS_` and the field in capitals.
    public let variable: String?
    /// The field of the configuration file.
    public let field: String?
    /// Whether that field is an object.
    public let isObject: Bool
    public let group: OptionGroup
    /// Whether each occurrence counts; otherwise the last one does.
    public let repeats: Bool

    init(
        name: String, synonyms: [String], short: Character?, form: Form, expected: String, completion: Completion,
        choices: (@Sendable () -> [String])?, summary: String, manual: String, standard: String, variable: String?,
        field: String?, isObject: Bool,
        group: OptionGroup, repeats: Bool
    ) {
        self.name = name
        self.synonyms = synonyms
        self.short = short
        self.form = form
        fixedExpected = expected
        fixedCompletion = completion
        self.choices = choices
        self.summary = summary
        self.manual = manual
        self.standard = standard
        self.variable = variable ?? (isObject ? nil : field.map { "APOD_TOOLS_" + $0.uppercased() })
        self.field = field
        self.isObject = isObject
        self.group = group
        self.repeats = repeats
    }

    /// What a valid value looks like, for the message about an invalid one: "a number from 1 to 256".
    public var expected: String { choices.map { $0().list(before: "or") } ?? fixedExpected }

    public var completion: Completion { choices.map { .words($0()) } ?? fixedCompletion }

    /// Reads a value without its type. Throws as `Option.value(of:)` does.
    public func parse(_ text: String) throws -> any Sendable { text }

    /// Whether the next word belongs to an option that has no fixed number of values.
    func takes(_ word: String) -> Bool { false }

    /// Whether it can be written on a command line.
    public var isTyped: Bool { form != .none }

    /// All long spellings, without their dashes.
    public var spellings: [String] {
        if case .flag(_, isNegatable: true) = form { return [name, "no-\(name)"] }
        return [name]
    }
}

/// An option with values of one type. Tools and modules declare theirs as static members of `AnyOption`.
public final class Option<Value: Sendable>: AnyOption, @unchecked Sendable {
    private let read: @Sendable (String) throws -> Value?
    private let belongs: (@Sendable (String) -> Bool)?

    /// - Parameters:
    ///   - choices: all values, if they are few; only listed on demand.
    ///   - takesMore: whether the next word belongs to the option, too.
    ///   - read: returns the value of a text; returns nil, or throws, for an invalid one.
    public init(
        _ name: String, synonyms: [String] = [], short: Character? = nil, form: AnyOption.Form,
        expected: String = "", completion: Completion = .none, choices: (@Sendable () -> [String])? = nil,
        group: OptionGroup, default standard: String = "", variable: String? = nil,
        field: String? = nil, isObject: Bool = false, repeats: Bool = false, summary: String, manual: String = "",
        takesMore: (@Sendable (String) -> Bool)? = nil, read: @escaping @Sendable (String) throws -> Value?
    ) {
        self.read = read
        belongs = takesMore
        super.init(
            name: name, synonyms: synonyms, short: short, form: form, expected: expected, completion: completion,
            choices: choices, summary: summary, manual: manual, standard: standard, variable: variable, field: field,
            isObject: isObject,
            group: group, repeats: repeats)
    }

    /// A copy that only the environment and the configuration file can set, by the field that the option has or would
    /// have. A flag becomes a truth value.
    public func asSetting() -> Option {
        var standard = standard
        if case .flag(let means, _) = form { standard = "\(!means)" }
        let field = field ?? String(name.map { $0 == "-" ? "_" : $0 })
        return Option(
            name, form: .none, expected: fixedExpected, completion: fixedCompletion, choices: choices, group: group,
            default: standard,
            variable: variable, field: field, isObject: isObject, summary: summary, manual: manual, read: read)
    }

    /// Returns the value of a text. Throws `BadValue` for an invalid one, or the error that `read` throws.
    public func value(of text: String) throws -> Value {
        guard let value = try read(text) else { throw BadValue(text: text, option: self) }
        return value
    }

    public override func parse(_ text: String) throws -> any Sendable { try value(of: text) }
    override func takes(_ word: String) -> Bool { belongs?(word) ?? false }
}

/// A text that is no valid value of its option.
public struct BadValue: Error {
    let text: String
    let option: AnyOption

    /// Says what is wrong with it, naming the place that it comes from: `--jobs`, `APOD_TOOLS_SCOPE`.
    public func message(source: String) -> String {
        var words: [String] = []
        if case .words(let known) = option.completion { words = known }
        return "\(source) takes \(option.expected), not \"\(text)\"\(NearMatch.advice(for: text, among: words))"
    }
}
