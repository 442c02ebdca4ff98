import Support

/// Why a remote is of no use, for a moment or at all.
public enum RemoteFailure: Failure {
    /// What was given as its address is none.
    case badAddress(String)
    /// The key to sign with cannot be used.
    case badKey(String)
    /// The server refuses what is asked for, and will refuse it again.
    case refused(String)
    /// It could not be reached, or did not do what it was asked for.
    case failed(String)
    /// What it gave is damaged.
    case damaged(String)
    /// Nobody waits for it any more.
    case givenUp

    public var code: String {
        switch self {
        case .badAddress: "bad-remote"
        case .badKey: "bad-remote-key"
        case .refused: "remote-refused"
        case .failed: "remote-failed"
        case .damaged: "remote-damaged"
        case .givenUp: "remote-given-up"
        }
    }

    public var message: String {
        switch self {
        case .badAddress(let reason): "this is no address of a remote: \(reason)"
        case .badKey(let reason): "the key of the remote cannot be used: \(reason)"
        case .refused(let reason), .failed(let reason): reason
        case .damaged(let reason): "it is damaged: \(reason)"
        case .givenUp: "the time to wait for the remote is over"
        }
    }

    /// Whether the same would fail again for certain.
    var isFinal: Bool { if case .refused = self { true } else { false } }

    public var exitCode: ExitCode {
        switch self {
        case .badAddress, .badKey: .configuration
        case .refused: .notAllowed
        case .failed, .givenUp: .temporary
        case .damaged: .data
        }
    }
}
