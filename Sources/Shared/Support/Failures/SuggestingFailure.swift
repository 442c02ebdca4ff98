/// A failure whose message ends with a suggestion.
public struct SuggestingFailure: Failure {
    public let failure: any Failure
    /// A word of the command line as it should be.
    public let suggestion: String

    public init(_ failure: any Failure, meant suggestion: String) {
        self.failure = failure
        self.suggestion = suggestion
    }

    public var code: String { failure.code }
    public var message: String { "\(failure.message); did you mean \(suggestion)?" }
    public var isTransient: Bool { failure.isTransient }
    public var exitCode: ExitCode { failure.exitCode }
}
