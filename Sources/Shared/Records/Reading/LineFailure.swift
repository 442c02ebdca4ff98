import Support

/// What is wrong with a line of the input. Its record bears the number as `input_line`.
public protocol LineFailure: Failure {
    /// Counted from 1.
    var line: Int { get }
}

/// A failure of what a line says.
public struct FailureInLine: LineFailure {
    public let reason: any Failure
    public let line: Int

    public init(_ reason: any Failure, line: Int) {
        self.reason = reason
        self.line = line
    }

    public var code: String { reason.code }
    public var message: String { "line \(line): \(reason.message)" }
    public var isTransient: Bool { reason.isTransient }
    public var exitCode: ExitCode { reason.exitCode }
}
