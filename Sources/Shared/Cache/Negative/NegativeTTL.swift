import Formats
import HTTP
import Support

/// How long a definite failure is remembered.
public enum NegativeTTL: Sendable, Equatable {
    /// Nothing is remembered.
    case none
    /// By what went wrong: what is gone for good the longest, what a changed setting of the server's may allow at any
    /// moment the shortest.
    case byClass
    /// Everything that is definite for the same time.
    case always(Duration)

    /// A failure's time; nil for one that is not remembered, since it may pass by itself, or since it is this side's
    /// doing: a limit, a blocked address, a transfer that was damaged.
    func span(of failure: any Failure) -> Duration? {
        guard self != .none, let standard = Self.standard(failure) else { return nil }
        if case .always(let span) = self { return span > .zero ? span : nil }
        return standard
    }

    private static func standard(_ failure: any Failure) -> Duration? {
        switch failure {
        case let failure as FetchFailure:
            switch failure.status {
            case 401, 403: .seconds(2 * 60)
            case 404: .seconds(10 * 60)
            case 410: .seconds(60 * 60)
            default: nil
            }
        case let failure as FormatFailure:
            switch failure {
            case .notAnImage, .unsupported, .notGIF: .seconds(10 * 60)
            // What is empty, cut or damaged may be whole the next time.
            case .empty, .truncated, .corrupt, .overLimit: nil
            }
        default: nil
        }
    }
}

/// A definite failure of a while ago, which is given again without asking the server.
public struct NegativeAnswer: Failure, Equatable {
    public let code: String
    public let exitCode: ExitCode
    /// What was said then.
    public let text: String
    public let since: Timestamp
    public let until: Timestamp

    /// It is as definite as the failure that it repeats.
    public var isTransient: Bool { false }

    public var message: String {
        "\(text) (so at \(since.iso8601), asked again from \(until.iso8601); --refresh asks now)"
    }

    /// Whether it still holds. One from the future was written before the clock was set back.
    func holds(at now: Timestamp) -> Bool { until > now && since <= now + Clock.tolerance }
}
