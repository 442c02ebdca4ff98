import Support

/// What is wrong with a line of the input. Its record bears the number as `input_line`.
public struct LineFailure: Failure {
    public let reason: any Failure
    /// Counted from 1.
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
