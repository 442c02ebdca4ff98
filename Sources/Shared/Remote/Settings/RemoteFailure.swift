import Support

/// The reason why a remote cannot be used.
public enum RemoteFailure: Failure {
    case badAddress(String)
    case badKey(String)
    /// The server refuses a request and would refuse it again.
    case refused(String)
    /// The server could not be reached or sent an unexpected answer.
    case failed(String)
    case damaged(String)
    case givenUp

    static let shortened = failed("the file became shorter during the upload")

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
        case .badAddress(let reason): "invalid address of a remote: \(reason)"
        case .badKey(let reason): "invalid key of the remote: \(reason)"
        case .refused(let reason), .failed(let reason): reason
        case .damaged(let reason): "damaged entry: \(reason)"
        case .givenUp: "the time limit for the remote has expired"
        }
    }

    /// Returns the same failure with another reason.
    func mapReason(_ change: (String) -> String) -> RemoteFailure {
        switch self {
        case .badAddress(let reason): .badAddress(change(reason))
        case .badKey(let reason): .badKey(change(reason))
        case .refused(let reason): .refused(change(reason))
        case .failed(let reason): .failed(change(reason))
        case .damaged(let reason): .damaged(change(reason))
        case .givenUp: self
        }
    }

    /// Whether a retry would certainly fail too.
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
