import Support

/// A definite failure of a while ago, which is given again without asking the server.
public struct NegativeAnswer: Failure, Equatable {
    public let code: String
    public let exitCode: ExitCode
    /// What was said then.
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

    /// It is as definite as the failure that it repeats.
    public var isTransient: Bool { false }

    public var message: String {
        "\(text) (so at \(since.iso8601), asked again from \(until.iso8601); --refresh asks now)"
    }

    /// Whether it still holds. One from the future was written before the clock was set back.
    package func holds(at now: Timestamp) -> Bool { until > now && since <= now + Clock.tolerance }
}
