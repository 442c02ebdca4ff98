import Support

/// An entry that has expired, for a run that takes none of these: the same as none at all.
public struct ExpiredEntry: Failure {
    let key: String
    let since: Timestamp

    public var code: String { "not-cached" }
    public var message: String { "expired since \(since.iso8601), which --no-stale refuses: \(key)" }
    public var exitCode: ExitCode { .absent }
}
