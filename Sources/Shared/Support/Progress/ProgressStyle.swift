/// How progress is shown.
public enum ProgressStyle: Sendable, Equatable {
    case hidden
    /// A log line every few seconds.
    case lines
    /// A line that is redrawn.
    case drawn(hasColour: Bool)

    /// The value of the option `--progress`.
    public enum Choice: String, Sendable, CaseIterable {
        case auto, plain, none
    }

    /// Chooses a style. A JSON log, and a terminal that cannot clear a line (`TERM` is `dumb` or unset), get lines. A
    /// plain log in a file or a pipe gets lines only on request.
    public init(_ choice: Choice, isTerminal: Bool, isQuiet: Bool, logFormat: Log.Format, environment: Environment) {
        let terminal = environment["TERM"] ?? "dumb"
        switch choice {
        case _ where isQuiet: self = .hidden
        case .none: self = .hidden
        case .plain: self = .lines
        case .auto where logFormat == .json: self = .lines
        case .auto where !isTerminal: self = .hidden
        case .auto where terminal == "dumb": self = .lines
        case .auto: self = .drawn(hasColour: Terminal.hasColour(isTerminal: isTerminal, environment: environment))
        }
    }
}
