import Options
import Support

/// The surroundings of a command: arguments, environment, configuration, log, progress, metrics and interruption.
public struct ToolContext: Sendable {
    public let arguments: Arguments
    public let environment: Environment
    public let configuration: Configuration
    public private(set) var log: Log
    public var metrics = Metrics.silent
    public var progress = Progress.none
    /// Whether the process drops rights that it does not need: see `confine`.
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

    /// The context of a command line. Reads the configuration file if it exists, and opens the file for metrics if
    /// `metrics` names it. Throws `ConfigurationFailure` for a bad file or setting, and `SystemFailure` if the file for
    /// metrics cannot be opened.
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

    /// A context that prints nothing. Throws `ConfigurationFailure` for a bad configuration file or setting.
    init(silent arguments: Arguments, environment: Environment = .ofProcess()) throws {
        let configuration = try Configuration.load(option: arguments[.config], environment: environment)
        self.init(arguments, environment: environment, configuration: configuration, log: .silent)
        isConfined = try value(.confinement)
    }

    public var tool: String { arguments.tool }

    /// The source of a setting's value. The option overrides the environment, which overrides the configuration
    /// file.
    public enum Source: String, Sendable {
        case option, environment, configuration
    }

    /// The text of an option's value, and its source; nil if it is not set, or if its field is an object.
    ///
    /// Throws `ConfigurationFailure` for a field that is no text, number or truth value.
    public func text(_ option: AnyOption) throws -> (text: String, source: Source)? {
        if let text = arguments.text(option) { return (text, .option) }
        if let variable = option.variable, let text = environment[variable] { return (text, .environment) }
        guard !configuration.isEmpty, !option.isObject, let field = option.field,
            let text = try configuration.text(field)
        else { return nil }
        return (text, .configuration)
    }

    /// The value of an option or setting: the option overrides the environment, which overrides the configuration file;
    /// nil if it is not set.
    ///
    /// Throws `ConfigurationFailure` (78) for a bad value in the environment or the file; a bad value of an option
    /// was refused when the line was read.
    public func value<Value>(_ option: Option<Value>) throws -> Value? {
        try given(option).flatMap { $0 as? Value }
    }

    /// The value of an option or setting, or its default. Throws as above.
    public func value<Value>(_ option: DefaultedOption<Value>) throws -> Value { option.value(try given(option)) }

    /// The value as a case of a type that the table of options does not know, but that has a case for each value.
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
