import Support

/// A permanent failure that was cached, and is reported again instead of sending a request.
public struct NegativeAnswer: Failure, Equatable {
    public let code: String
    public let exitCode: ExitCode
    /// The original message.
    public let text: String
    public let since: Timestamp
    public let until: Timestamp

    package init(code: String, exitCode: ExitCode, text: String, since: Timestamp, until: Timestamp) {
        self.code = code
        self.exitCode = exitCode
        self.text = text
        self.since = since
        self.until = until
    }

    public var isTransient: Bool { false }

    public var message: String {
        "\(text) (failed at \(since.iso8601), cached until \(until.iso8601); use --refresh to try again)"
    }

    /// Whether the failure has not expired. False if it was recorded in the future, because the clock was set back.
    package func holds(at now: Timestamp) -> Bool { until > now && since <= now + Clock.tolerance }
}
