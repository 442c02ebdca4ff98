/// A failure whose message ends with a suggestion.
public struct SuggestingFailure: WrappingFailure {
    public let reason: any Failure
    /// A word of the command line as it should be.
    public let suggestion: String

    public init(_ reason: any Failure, meant suggestion: String) {
        self.reason = reason
        self.suggestion = suggestion
    }

    public var message: String { "\(reason.message); did you mean \(suggestion)?" }
}

extension Failure {
    /// Whether the message has a suggestion.
    public var suggests: Bool {
        self is SuggestingFailure || (self as? any WrappingFailure)?.reason.suggests == true
    }
}
