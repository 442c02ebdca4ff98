/// An error that can be reported to a person, written into a record, and turned into an exit status.
///
/// Each area has its own enum of failures. The cases carry facts, which these properties turn into words and numbers in
/// one place.
public protocol Failure: Error, Sendable {
    /// A stable kebab-case word for programs, such as `not-found`. Documented, never reused.
    var code: String { get }
    /// What happened, to what, and what to do about it: one sentence without a final full stop, and without secrets.
    var message: String { get }
    /// Whether the same request may succeed later although nobody changes anything.
    var isTransient: Bool { get }
    var exitCode: ExitCode { get }
}

extension Failure {
    public var isTransient: Bool { exitCode == .temporary }
}

/// A failure that adds to another failure, its reason, and is reported with the same code and exit status.
public protocol WrappingFailure: Failure {
    var reason: any Failure { get }
}

extension WrappingFailure {
    public var code: String { reason.code }
    public var message: String { reason.message }
    public var isTransient: Bool { reason.isTransient }
    public var exitCode: ExitCode { reason.exitCode }
}

/// The command line cannot be carried out as it stands: status 64.
public struct UsageFailure: Failure {
    public let message: String
    public var code: String { "usage" }
    public var exitCode: ExitCode { .usage }

    public init(_ message: String) { self.message = message }
}

/// A configuration file or an environment value is wrong: status 78.
public struct ConfigurationFailure: Failure {
    public let message: String
    public var code: String { "configuration" }
    public var exitCode: ExitCode { .configuration }

    public init(_ message: String) { self.message = message }
}

/// Work that stopped because the run is being ended (a signal, a closed pipe). Never recorded.
public struct Cancelled: Failure {
    public init() {}
    public var code: String { "cancelled" }
    public var message: String { "stopped before it was done" }
    public var isTransient: Bool { true }
    public var exitCode: ExitCode { .temporary }
}

/// Any other error, which counts as a fault of the tool itself: status 70.
public struct UnexpectedFailure: Failure {
    public let message: String
    public var code: String { "internal" }
    public var exitCode: ExitCode { .software }

    public init(_ error: any Error) { message = "unexpected fault: \(error)" }
}

/// The error as a failure; one that is none becomes an `UnexpectedFailure`.
public func failure(of error: any Error) -> any Failure {
    (error as? any Failure) ?? UnexpectedFailure(error)
}
