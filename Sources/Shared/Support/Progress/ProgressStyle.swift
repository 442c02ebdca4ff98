/// How progress is shown.
public enum ProgressStyle: Sendable, Equatable {
    case hidden
    /// Lines of a log, now and then.
    case lines
    /// A line that is redrawn.
    case drawn(hasColour: Bool)

    /// What a user may ask for.
    public enum Wish: String, Sendable, CaseIterable {
        case auto, plain, none
    }

    /// Decides by its arguments only. A terminal that cannot clear a line (`TERM` is `dumb` or unset) gets lines, and
    /// so does a log that a program reads. A file or a pipe gets them only if they are asked for.
    public init(
        _ wish: Wish, isTerminal: Bool, isQuiet: Bool, logFormat: Log.Format, environment: Environment
    ) {
        let terminal = environment["TERM"] ?? "dumb"
        switch wish {
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
