/// An error that can be reported to a person, written into a record, and turned into an exit status.
///
/// Each area has an enum of failures. Its cases carry facts; these properties derive texts and numbers from them.
public protocol Failure: Error, Sendable {
    /// A stable kebab-case word for programs, such as `not-found`. Documented, and never reused.
    var code: String { get }
    /// States the failure, its subject and a remedy, without a final full stop and without secrets.
    var message: String { get }
    /// Whether the same request may succeed if it is repeated later.
    var isTransient: Bool { get }
    var exitCode: ExitCode { get }
}

extension Failure {
    public var isTransient: Bool { exitCode == .temporary }
}

/// A failure that wraps another failure, `reason`, and has the code and the exit status of `reason`.
public protocol WrappingFailure: Failure {
    var reason: any Failure { get }
}

extension WrappingFailure {
    public var code: String { reason.code }
    public var message: String { reason.message }
    public var isTransient: Bool { reason.isTransient }
    public var exitCode: ExitCode { reason.exitCode }
}

/// An invalid command line: status 64.
public struct UsageFailure: Failure {
    public let message: String
    public var code: String { "usage" }
    public var exitCode: ExitCode { .usage }

    public init(_ message: String) { self.message = message }
}

/// An invalid configuration file or environment value: status 78.
public struct ConfigurationFailure: Failure {
    public let message: String
    public var code: String { "configuration" }
    public var exitCode: ExitCode { .configuration }

    public init(_ message: String) { self.message = message }
}

/// The run is being stopped by a signal or a closed pipe. Never written into a record.
public struct Cancelled: Failure {
    public init() {}
    public var code: String { "cancelled" }
    public var message: String { "stopped before completion" }
    public var isTransient: Bool { true }
    public var exitCode: ExitCode { .temporary }
}

/// An error that is not a `Failure`: an internal fault, status 70.
public struct UnexpectedFailure: Failure {
    public let message: String
    public var code: String { "internal" }
    public var exitCode: ExitCode { .software }

    public init(_ error: any Error) { message = "unexpected fault: \(error)" }
}

/// Returns the error if it is a `Failure`, else an `UnexpectedFailure`.
public func failure(of error: any Error) -> any Failure { (error as? any Failure) ?? UnexpectedFailure(error) }

/// A failure whose message ends with a suggestion.
public struct SuggestingFailure: WrappingFailure {
    public let reason: any Failure
    /// The corrected word of the command line.
    public let suggestion: String

    public init(_ reason: any Failure, meant suggestion: String) {
        self.reason = reason
        self.suggestion = suggestion
    }

    public var message: String { "\(reason.message); did you mean \(suggestion)?" }
}

extension Failure {
    /// Whether the message ends with a suggestion.
    public var suggests: Bool { self is SuggestingFailure || (self as? any WrappingFailure)?.reason.suggests == true }
}
