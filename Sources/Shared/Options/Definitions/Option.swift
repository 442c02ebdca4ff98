import Support

/// An option or setting. The parser, the help, manuals, completions, the checks of the configuration file and the
/// reference of the settings all use this definition.
///
/// `@unchecked Sendable`: every stored property, here and in the two subclasses, is a `let` of a `Sendable` type,
/// except for `definition`, which does not change once the static property that holds the option is initialised.
public class AnyOption: @unchecked Sendable {
    /// The syntax of the option on a command line.
    public enum Form: Sendable, Equatable {
        /// `--quiet`: sets the value to `means`. If the option is negatable, `--no-NAME` sets it to the opposite.
        case flag(means: Bool, isNegatable: Bool)
        /// `--jobs N`.
        case value(String)
        /// `--date [DAY]`: without a value, the option has the implied value.
        case optionalValue(String, implied: String)
        /// Not an option, but a setting of the environment and the configuration file.
        case none
    }

    /// The properties that do not depend on the type of the option's values.
    struct Definition: Sendable {
        var name: String
        var synonyms: [String] = []
        var short: Character?
        var form: Form
        var expected = ""
        var completion = Completion.none
        /// Lists all valid values. A closure, so that the list is created only for help, completions and errors.
        var choices: (@Sendable () -> [String])?
        var summary: String
        var manual = ""
        /// Describes the default if it is not a constant.
        var whenUnset: @Sendable () -> String = { "" }
        var variable: String?
        var field: String?
        /// Whether the name, with `_` for `-`, is the field of the configuration file if `field` is nil.
        var isNamedByField = false
        var isObject = false
        var group: OptionGroup
        var repeats = false
    }

    /// Changed only by `asSetting` and `whenUnset`, before the option is stored.
    fileprivate var definition: Definition

    fileprivate init(_ definition: Definition) { self.definition = definition }

    fileprivate func becomeSetting() {
        definition.synonyms = []
        definition.short = nil
        definition.form = .none
        definition.repeats = false
        definition.isNamedByField = true
    }

    /// The long name without its dashes. For a setting without an option, the field with `-` for `_`.
    public var name: String { definition.name }
    /// Other names that users may try. The error suggests this option instead.
    var synonyms: [String] { definition.synonyms }
    public var short: Character? { definition.short }
    public var form: Form { definition.form }
    /// A sentence or two for the help and the manual.
    public var summary: String { definition.summary }
    /// Further sentences for the manual.
    public var manual: String { definition.manual }
    /// The field of the configuration file, or nil.
    public var field: String? {
        guard definition.field == nil, definition.isNamedByField else { return definition.field }
        return Self.spelled(name) { $0 }
    }
    /// Whether the field of the configuration file is an object.
    public var isObject: Bool { definition.isObject }
    public var group: OptionGroup { definition.group }
    /// Whether all occurrences on a command line are used, rather than only the last.
    public var repeats: Bool { definition.repeats }

    /// The environment variable, or nil. By default, `APOD_TOOLS_` and the field in capitals.
    public var variable: String? {
        if let variable = definition.variable { return variable }
        guard !isObject, let field = definition.field ?? (definition.isNamedByField ? name : nil) else { return nil }
        return Self.spelled(field, after: "APOD_TOOLS_") { $0.isLetter ? $0 & ~0x20 : $0 }
    }

    /// Replaces `-` by `_` and maps all other bytes with `map`. Uses a single pass, because each start of a tool
    /// creates 20 variables.
    private static func spelled(_ text: String, after prefix: String = "", _ map: (UInt8) -> UInt8) -> String {
        var bytes = Array(prefix.utf8)
        bytes.reserveCapacity(bytes.count + text.utf8.count)
        for byte in text.utf8 { bytes.append(byte == UInt8(ascii: "-") ? UInt8(ascii: "_") : map(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The default as a user would type it, or a description of a default that is not a constant. Empty if there is no
    /// default.
    public var defaultText: String { definition.whenUnset() }

    /// The default, or nil if there is no constant default.
    public var defaultValue: (any Sendable)? { nil }

    /// A description of the valid values for error messages, such as "a number from 1 to 256".
    public var expected: String { definition.choices.map { $0().list(before: "or") } ?? definition.expected }

    public var completion: Completion { definition.choices.map { .words($0()) } ?? definition.completion }

    /// Parses a value. Throws the errors of `Option.value(of:)`.
    public func parse(_ text: String) throws -> any Sendable { text }

    /// Returns whether the option takes this word as its optional value, or as one more value.
    func takes(_ word: String) -> Bool { false }

    var isFlag: Bool { if case .flag = form { true } else { false } }

    /// Whether a user can type the option, rather than only set it in the environment or the configuration file.
    public var isTyped: Bool { form != .none }

    /// All long spellings, without their dashes.
    public var spellings: [String] {
        if case .flag(_, isNegatable: true) = form { return [name, "no-\(name)"] }
        return [name]
    }
}

/// An option with typed values and no default. Each tool and module declares its options as static members of
/// `AnyOption`.
public final class Option<Value: Sendable>: AnyOption, @unchecked Sendable {
    private let read: @Sendable (String) throws -> Value?
    fileprivate let print: @Sendable (Value) -> String
    private let belongs: (@Sendable (String) -> Bool)?

    /// - Parameters:
    ///   - expected: completes the message `--jobs takes …`. Not needed if `read` never returns nil.
    ///   - choices: lists all values, for help, completions and errors.
    ///   - takesMore: returns whether the option takes the next word as its optional value, or as one more value.
    ///   - print: formats a value so that `read` parses it again.
    ///   - read: parses a value. Returns nil or throws for an invalid text.
    public init(
        _ name: String, synonyms: [String] = [], short: Character? = nil, form: AnyOption.Form,
        expected: String = "", completion: Completion = .none, choices: (@Sendable () -> [String])? = nil,
        group: OptionGroup, variable: String? = nil, field: String? = nil, isObject: Bool = false,
        repeats: Bool = false, summary: String, manual: String = "",
        takesMore: (@Sendable (String) -> Bool)? = nil, print: @escaping @Sendable (Value) -> String = { "\($0)" },
        read: @escaping @Sendable (String) throws -> Value?
    ) {
        self.read = read
        self.print = print
        belongs = takesMore
        super.init(
            Definition(
                name: name, synonyms: synonyms, short: short, form: form, expected: expected, completion: completion,
                choices: choices, summary: summary, manual: manual, variable: variable, field: field,
                isObject: isObject, group: group, repeats: repeats))
    }

    /// Turns the option into a setting of the environment and the configuration file. A flag becomes a Boolean. An
    /// option without a field gets its name, with `_` for `-`, as its field. Modifies the option, because a copy would
    /// slow down every start.
    public func asSetting() -> Option {
        becomeSetting()
        return self
    }

    /// Sets the description of a default that is not a constant.
    public func whenUnset(_ words: @autoclosure @escaping @Sendable () -> String) -> Option {
        definition.whenUnset = words
        return self
    }

    /// Returns the option with a default, which is evaluated on each use.
    public func defaulting(to value: @autoclosure @escaping @Sendable () -> Value) -> DefaultedOption<Value> {
        DefaultedOption(self, value)
    }

    /// Parses a value. Throws `BadValue`, or an error of `read`, if the text is invalid.
    public func value(of text: String) throws -> Value {
        guard let value = try read(text) else { throw BadValue(text: text, option: self) }
        return value
    }

    public override func parse(_ text: String) throws -> any Sendable { try value(of: text) }
    override func takes(_ word: String) -> Bool { belongs?(word) ?? false }
}

/// An option with a default. Created by `Option.defaulting(to:)`.
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

    /// Returns `given` as a `Value`, or the default.
    public func value(_ given: (any Sendable)?) -> Value {
        // Most options are not given. Return early, because the cast costs more than the rest of the function.
        guard let given else { return standard() }
        return given as? Value ?? standard()
    }

    public override var defaultText: String { option.print(standard()) }
    public override var defaultValue: (any Sendable)? { standard() }
    public override func parse(_ text: String) throws -> any Sendable { try option.value(of: text) }
    override func takes(_ word: String) -> Bool { option.takes(word) }
}

/// The error for a text that is not a valid value of an option.
public struct BadValue: Error {
    let text: String
    let option: AnyOption

    /// Returns a message that names the source of the text, such as `--jobs` or `APOD_TOOLS_SCOPE`.
    public func message(source: String) -> String {
        var words: [String] = []
        if case .words(let known) = option.completion { words = known }
        return "\(source) takes \(option.expected), not \"\(text)\"\(NearMatch.advice(for: text, among: words))"
    }
}
