/// How a run goes.
public struct RecordRunOptions: Sendable {
    /// How many records are worked on at once, at least 1.
    public var jobs = 1
    /// Lets each record leave as soon as it is done, instead of in the order of arrival.
    public var unordered = false
    /// Stops at the first failure.
    public var failFast = false
    /// Makes records that came in with `error` count in the exit code.
    public var strict = false
    /// Takes records that bear the tool's own transient `error` as fresh ones.
    public var retryErrors = false
    public var layout = RecordLayout.lines

    public init() {}
}
