import Support

/// What is wrong with a line of the input. Its record bears the number as `input_line`.
public struct LineFailure: WrappingFailure {
    public let reason: any Failure
    /// Counted from 1.
    public let line: Int

    public init(_ reason: any Failure, line: Int) {
        self.reason = reason
        self.line = line
    }

    public var message: String { "line \(line): \(reason.message)" }
}
