import Support

/// One option or setting, defined once: parser, help, manuals, completions, the checks of the configuration file and
/// the reference of the settings all come from it.
///
/// `@unchecked Sendable`: every stored property is a `let` of a Sendable type, here and in the two subclasses, except
/// for `definition`, which does not change after the initialiser of the static property that holds the option.
public class AnyOption: @unchecked Sendable {
    /// How the option is written on a command line.
    public enum Form: Sendable, Equatable {
        /// `--quiet`: means this value; `--no-NAME` means the opposite if the option can be negated.
        case flag(means: Bool, isNegatable: Bool)
        /// `--jobs N`.
        case value(String)
        /// `--date [DAY]`; `--date` alone means the implied value.
        case optionalValue(String, implied: String)
        /// Not an option: only set by the environment or the configuration file.
        case none
    }

    /// The properties of an option that do not depend on the type of its values.
    struct Definition: Sendable {
        var name: String
        var synonyms: [String] = []
        var short: Character?
        var form: Form
        var expected = ""
        var completion = Completion.none
        /// The values, if they are only listed on demand.
        var choices: (@Sendable () -> [String])?
        var summary: String
        var manual = ""
        /// The default in words, if it depends on circumstances.
        var whenUnset: @Sendable () -> String = { "" }
        var variable: String?
        var field: String?
        /// Whether the name is the field, with `-` for `_`.
        var isNamedByField = false
        var isObject = false
        var group: OptionGroup
        var repeats = false
    }

    /// Changes only until the option is stored: see `asSetting` and `whenUnset`.
    fileprivate var definition: Definition

    fileprivate init(_ definition: Definition) { self.definition = definition }

    fileprivate func becomeSetting() {
        definition.synonyms = []
        definition.short = nil
        definition.form = .none
        definition.repeats = false
        definition.isNamedByField = true
    }

    /// The long name without its dashes; for a setting that is no option, the field with `-` for `_`.
    public var name: String { definition.name }
    /// Other names that users may try, for suggestions.
    var synonyms: [String] { definition.synonyms }
    public var short: Character? { definition.short }
    public var form: Form { definition.form }
    /// A sentence or two for the help.
    public var summary: String { definition.summary }
    /// Another paragraph, for the manual.
    public var manual: String { definition.manual }
    /// The field of the configuration file.
    public var field: String? {
        guard definition.field == nil, definition.isNamedByField else { return definition.field }
        return Self.spelled(name) { $0 }
    }
    /// Whether that field is an object.
    public var isObject: Bool { definition.isObject }
    public var group: OptionGroup { definition.group }
    /// Whether each occurrence counts; otherwise only the last occurrence does.
    public var repeats: Bool { definition.repeats }

    /// The environment variable, by default `APOD_TOOLS_` and the field in capitals.
    public var variable: String? {
        if let variable = definition.variable { return variable }
        guard !isObject, let field = definition.field ?? (definition.isNamedByField ? name : nil) else { return nil }
        return Self.spelled(field, after: "APOD_TOOLS_") { $0.isLetter ? $0 & ~0x20 : $0 }
    }

    /// Returns a text with `_` for `-`, and its other bytes mapped. In one pass, since every start needs 20 variables.
    private static func spelled(_ text: String, after prefix: String = "", _ map: (UInt8) -> UInt8) -> String {
        var bytes = Array(prefix.utf8)
        bytes.reserveCapacity(bytes.count + text.utf8.count)
        for byte in text.utf8 { bytes.append(byte == UInt8(ascii: "-") ? UInt8(ascii: "_") : map(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The default as a user would write it, or in words if it depends on circumstances; empty if there is none.
    public var defaultText: String { definition.whenUnset() }

    /// The default; nil if there is none, or if it depends on circumstances.
    public var defaultValue: (any Sendable)? { nil }

    /// Describes valid values in the message about an invalid value: "a number from 1 to 256".
    public var expected: String { definition.choices.map { $0().list(before: "or") } ?? definition.expected }

    public var completion: Completion { definition.choices.map { .words($0()) } ?? definition.completion }

    /// Reads a value without its type. Throws as `Option.value(of:)` does.
    public func parse(_ text: String) throws -> any Sendable { text }

    /// Whether the next word belongs to an option that has no fixed number of values.
    func takes(_ word: String) -> Bool { false }

    /// Whether it has no value on a command line.
    var isFlag: Bool { if case .flag = form { true } else { false } }

    /// Whether it can be written on a command line.
    public var isTyped: Bool { form != .none }

    /// All long spellings, without their dashes.
    public var spellings: [String] {
        if case .flag(_, isNegatable: true) = form { return [name, "no-\(name)"] }
        return [name]
    }
}

/// An option with typed values, which may be unset. Tools and modules declare theirs as static members of
/// `AnyOption`.
public final class Option<Value: Sendable>: AnyOption, @unchecked Sendable {
    private let read: @Sendable (String) throws -> Value?
    fileprivate let print: @Sendable (Value) -> String
    private let belongs: (@Sendable (String) -> Bool)?

    /// - Parameters:
    ///   - choices: all values, if they are few; only listed on demand.
    ///   - takesMore: whether the next word belongs to the option, too.
    ///   - print: returns a text that `read` turns into the value again.
    ///   - read: returns the value of a text; returns nil, or throws, for an invalid one.
    public convenience init(
        _ name: String, synonyms: [String] = [], short: Character? = nil, form: AnyOption.Form,
        expected: String = "", completion: Completion = .none, choices: (@Sendable () -> [String])? = nil,
        group: OptionGroup, variable: String? = nil,
        field: String? = nil, isObject: Bool = false, repeats: Bool = false, summary: String, manual: String = "",
        takesMore: (@Sendable (String) -> Bool)? = nil, print: @escaping @Sendable (Value) -> String = { "\($0)" },
        read: @escaping @Sendable (String) throws -> Value?
    ) {
        self.init(
            Definition(
                name: name, synonyms: synonyms, short: short, form: form, expected: expected, completion: completion,
                choices: choices, summary: summary, manual: manual, variable: variable, field: field,
                isObject: isObject, group: group, repeats: repeats),
            takesMore: takesMore, print: print, read: read)
    }

    private init(
        _ definition: Definition, takesMore: (@Sendable (String) -> Bool)?,
        print: @escaping @Sendable (Value) -> String, read: @escaping @Sendable (String) throws -> Value?
    ) {
        self.read = read
        self.print = print
        belongs = takesMore
        super.init(definition)
    }

    /// Turns the option into a setting that only the environment and the configuration file can set, by the field that
    /// the option has or would have. A flag becomes a truth value. Not a copy, as that would cost each start time.
    public func asSetting() -> Option {
        becomeSetting()
        return self
    }

    /// Adds a description of a default that depends on circumstances.
    public func whenUnset(_ words: @autoclosure @escaping @Sendable () -> String) -> Option {
        definition.whenUnset = words
        return self
    }

    /// The option with this value if it is not set. Evaluated when it is needed.
    public func defaulting(to value: @autoclosure @escaping @Sendable () -> Value) -> DefaultedOption<Value> {
        DefaultedOption(self, value)
    }

    /// Returns the value of a text. Throws `BadValue` for an invalid one, or the error that `read` throws.
    public func value(of text: String) throws -> Value {
        guard let value = try read(text) else { throw BadValue(text: text, option: self) }
        return value
    }

    public override func parse(_ text: String) throws -> any Sendable { try value(of: text) }
    override func takes(_ word: String) -> Bool { belongs?(word) ?? false }
}

/// An option that has a value even if it is not set: see `Option.defaulting(to:)`.
public final class DefaultedOption<Value: Sendable>: AnyOption, @unchecked Sendable {
    private let option: Option<Value>
    private let standard: @Sendable () -> Value

    fileprivate init(_ option: Option<Value>, _ standard: @escaping @Sendable () -> Value) {
        self.option = option
        self.standard = standard
        super.init(option.definition)
    }

    /// See `Option.asSetting()`.
    public func asSetting() -> DefaultedOption {
        becomeSetting()
        return self
    }

    /// Returns the value that was given, or the default.
    public func value(_ given: (any Sendable)?) -> Value {
        // Without a cast, which costs more than the rest, if nothing is set.
        guard let given else { return standard() }
        return given as? Value ?? standard()
    }

    public override var defaultText: String { option.print(standard()) }
    public override var defaultValue: (any Sendable)? { standard() }
    public override func parse(_ text: String) throws -> any Sendable { try option.value(of: text) }
    override func takes(_ word: String) -> Bool { option.takes(word) }
}

/// A text that is not a valid value of its option.
public struct BadValue: Error {
    let text: String
    let option: AnyOption

    /// Returns a message that names the source of the text: `--jobs`, `APOD_TOOLS_SCOPE`.
    public func message(source: String) -> String {
        var words: [String] = []
        if case .words(let known) = option.completion { words = known }
        return "\(source) takes \(option.expected), not \"\(text)\"\(NearMatch.advice(for: text, among: words))"
    }
}
