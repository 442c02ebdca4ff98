import Options
import Support

/// The context in which a command runs: arguments, environment, configuration, log, progress, metrics and interruption.
///
/// Methods that read settings throw `ConfigurationFailure` (78) for an invalid value in the environment or the
/// configuration file.
public struct ToolContext: Sendable {
    public let arguments: Arguments
    public let environment: Environment
    public let configuration: Configuration
    public private(set) var log: Log
    public var metrics = Metrics.silent
    public var progress = Progress.none
    /// Whether `confine` drops the rights that the process does not need.
    public var isConfined = true
    public let interruption: Interruption

    public init(
        _ arguments: Arguments, environment: Environment, configuration: Configuration = .empty, log: Log,
        interruption: Interruption = Interruption()
    ) {
        self.arguments = arguments
        self.environment = environment
        self.configuration = configuration
        self.log = log
        self.interruption = interruption
    }

    /// Creates the context of a command line. Reads the configuration file if it exists, and opens the metrics file if
    /// the setting `metrics` names one. Throws `ConfigurationFailure` for an invalid file or setting, and
    /// `SystemFailure` if the metrics file cannot be opened.
    public init(_ arguments: Arguments) throws {
        try self.init(silent: arguments)
        let threshold: Log.Level = arguments[.quiet] ? .error : arguments[.verbose] ? .detail : .warning
        log = Log(tool: tool, threshold: threshold, format: try value(.logFormat))
        if let path = try value(.metrics) { metrics = try MetricsFile.open(path, tool: tool, log: log) }
        let style = ProgressStyle(
            try value(.progress), isTerminal: Terminal.isTerminal(2), isQuiet: arguments[.quiet],
            logFormat: log.format, environment: environment)
        if style != .hidden { progress = Progress(style, log: log, meetsOutput: Terminal.isTerminal(1)) }
    }

    /// Creates a context that prints nothing. Throws `ConfigurationFailure` for an invalid configuration file.
    init(silent arguments: Arguments, environment: Environment = .ofProcess()) throws {
        let configuration = try Configuration.load(option: arguments[.config], environment: environment)
        self.init(arguments, environment: environment, configuration: configuration, log: .silent)
        isConfined = try value(.confinement)
    }

    public var tool: String { arguments.tool }

    /// The source of a setting's value. An option overrides the environment, which overrides the configuration file.
    public enum Source: String, Sendable {
        case option, environment, configuration
    }

    /// Returns the text and the source of a setting's value, or nil if it is not set. Ignores the configuration file if
    /// the field is an object. Throws `ConfigurationFailure` if the field is not a string, number or Boolean.
    public func text(_ option: AnyOption) throws -> (text: String, source: Source)? {
        if let text = arguments.text(option) { return (text, .option) }
        if let variable = option.variable, let text = environment[variable] { return (text, .environment) }
        guard !configuration.isEmpty, !option.isObject, let field = option.field,
            let text = try configuration.text(field)
        else { return nil }
        return (text, .configuration)
    }

    /// Returns the value of an option or setting, or nil if it is not set. `Command.request` has already checked the
    /// values of options.
    public func value<Value>(_ option: Option<Value>) throws -> Value? {
        try given(option).flatMap { $0 as? Value }
    }

    /// Returns the value of an option or setting, or its default.
    public func value<Value>(_ option: DefaultedOption<Value>) throws -> Value { option.value(try given(option)) }

    /// Returns the value as a case of an enumeration that the option table cannot import. The enumeration must have a
    /// case for each value of the option.
    public func value<Choice: RawRepresentable>(
        _ option: DefaultedOption<Choice.RawValue>, as type: Choice.Type
    ) throws -> Choice where Choice.RawValue: Sendable {
        guard let choice = Choice(rawValue: try value(option)) else {
            preconditionFailure("\(type) lacks a value of \(option.name)")
        }
        return choice
    }

    private func given(_ option: AnyOption) throws -> (any Sendable)? {
        if let value = arguments.value(option) { return value }
        guard let (text, source) = try text(option) else { return nil }
        let place = source == .environment ? option.variable ?? "" : configuration.describes(option.field ?? "")
        do {
            return try option.parse(text)
        } catch let bad as BadValue {
            throw ConfigurationFailure(bad.message(source: place))
        } catch {
            throw ConfigurationFailure("\(place): \(failure(of: error).message)")
        }
    }
}
