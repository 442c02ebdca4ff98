import Support

/// Why the tools do not open a URL.
public enum WebURLFailure: Failure, Equatable {
    /// The text is not a valid absolute URL, for the given reason: status 65. Callers report 64 if the text is a
    /// command-line argument.
    case notAURL(text: String, reason: Reason)
    /// The scheme is not `http` or `https`: status 77.
    case blockedScheme(of: String)
    /// The host has invalid characters, or is a number that is not an IP address: status 77.
    case blockedHost(String)
    /// The host is a non-ASCII name, which cannot be mapped to ASCII because libidn2 is missing or fails: status 69.
    case unmapped(UnmappedName)

    public enum Reason: Sendable, Equatable {
        case noScheme, noAuthority, noHost, badPort, controlCharacter, tooLong

        fileprivate var words: String {
            switch self {
            case .noScheme: "is not an absolute URL; write it in full, beginning with https://"
            case .noAuthority: "names no server; write two slashes after the colon, as in https://example.org/"
            case .noHost: "names no server; write the server after the two slashes, as in https://example.org/"
            case .badPort: "has an invalid port; use a number from 1 to 65535"
            case .controlCharacter: "contains a line break or another control character; remove it"
            case .tooLong: "is longer than \(WebURL.byteLimit >> 10) KiB, which no server accepts"
            }
        }
    }

    public var code: String {
        switch self {
        case .notAURL: "bad-url"
        case .blockedScheme: "blocked-scheme"
        case .blockedHost: "blocked-host"
        case .unmapped(let failure): failure.code
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .notAURL: .data
        case .blockedScheme, .blockedHost: .notAllowed
        case .unmapped(let failure): failure.exitCode
        }
    }

    public var message: String {
        switch self {
        case .notAURL(let text, let reason): "\"\(Self.shown(text))\" \(reason.words)"
        case .blockedScheme(let text): "\"\(Self.shown(text))\" has an unsupported scheme; use http or https"
        case .blockedHost(let host): "\"\(Self.shown(host))\" is not a valid host name or address; check the URL"
        case .unmapped(let failure): failure.message
        }
    }

    /// Returns the beginning of the text. Omits all text before an `@`, which may be a password, and after a `?`, which
    /// may be a key.
    private static func shown(_ text: String) -> String {
        var rest = Substring(text)
        if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        if let mark = rest.firstIndex(of: "?") { rest = rest[..<mark] }
        return rest.count > 100 ? "\(rest.prefix(100))..." : String(rest)
    }
}
