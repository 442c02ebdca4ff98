import Support

/// An absolute `http` or `https` URL.
///
/// Stored as it is sent: non-ASCII characters and white space in path, query and fragment are percent-encoded (RFC 3986
/// §2.1); the host is in lower-case ASCII (international names by UTS #46) or an address in its canonical form. User
/// name and password are stored separately, and omitted from every text that this type returns.
public struct WebURL: Sendable, Hashable {
    /// The maximum length of an address in bytes. Servers and proxies usually accept at most half of this length.
    public static let byteLimit = 16 << 10

    public enum Scheme: String, Sendable, Hashable {
        case http, https

        public var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// A user name and a password. Descriptions never show them.
    public struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
        CustomReflectable
    {
        public let user: String
        public let password: String

        public var description: String { "(hidden)" }
        public var debugDescription: String { description }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Scheme, host and port, which decide which server may receive a secret (RFC 6454 §4).
    public struct Origin: Sendable, Hashable, CustomStringConvertible {
        public let scheme: Scheme
        /// Without a final dot.
        public let host: String
        public let port: Int

        public var description: String {
            port == scheme.defaultPort ? "\(scheme.rawValue)://\(host)" : "\(scheme.rawValue)://\(host):\(port)"
        }
    }

    public internal(set) var scheme: Scheme
    /// As written in a URL: an IPv6 address is in brackets.
    public internal(set) var host: String
    /// The IP address, if the host is one in any notation, such as `127.1` or `[::1]`; nil for a name.
    public internal(set) var address: IPAddress?
    public internal(set) var explicitPort: Int?
    /// Percent-encoded; empty, or begins with `/`.
    public internal(set) var path: String
    /// Percent-encoded, without `?`.
    public internal(set) var query: String?
    /// Percent-encoded, without `#`. Never sent.
    public internal(set) var fragment: String?
    public internal(set) var credentials: Credentials?

    /// Traps if the address is invalid.
    public init(literal text: StaticString) {
        guard let url = try? WebURL("\(text)") else { preconditionFailure("\(text) is not a valid address") }
        self = url
    }

    public var port: Int { explicitPort ?? scheme.defaultPort }

    public var origin: Origin { Origin(scheme: scheme, host: hostWithoutDot, port: port) }

    /// The host without the final dot of a fully qualified name.
    var hostWithoutDot: String { host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host }

    /// Whether the host is this machine: a loopback address, or a name that always resolves to it (RFC 6761 §6.3).
    var isLoopback: Bool {
        if let address { return address.isLoopback }
        return hostWithoutDot == "localhost" || hostWithoutDot.hasSuffix(".localhost")
    }

    /// The host, and the port unless it is the scheme's default.
    private var authority: String {
        guard let explicitPort, explicitPort != scheme.defaultPort else { return host }
        return "\(host):\(explicitPort)"
    }

    /// The URL as sent: no credentials, no fragment, dot segments resolved, and a path of at least `/`.
    public var requestText: String {
        let path = DotSegments.removed(from: self.path)
        return "\(scheme.rawValue)://\(authority)\(path.isEmpty ? "/" : path)\(query.map { "?\($0)" } ?? "")"
    }

    /// The canonical form, equal for all spellings of this URL (RFC 3986 §6.2.2 and §6.2.3): without credentials,
    /// fragment, default port, dot segments and the host's final dot; escapes in upper case and only if needed. Parsing
    /// this text returns a URL whose description and canonical form are this text.
    public var normalized: String {
        let path = DotSegments.removed(from: PercentEncoding.normalized(self.path))
        let query = self.query.map { "?\(PercentEncoding.normalized($0))" } ?? ""
        return "\(origin)\(path.isEmpty ? "/" : path)\(query)"
    }
}

extension WebURL.Origin {
    /// Parses `https://example.org:8443`; returns nil for an address with a user, path, query or fragment.
    public init?(_ text: String) {
        guard let url = try? WebURL(text), url.credentials == nil, url.query == nil, url.fragment == nil,
            url.path.isEmpty || url.path == "/"
        else { return nil }
        self = url.origin
    }
}

extension WebURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without its credentials. Parsing this text returns an equal URL, except for the credentials.
    public var description: String {
        let query = self.query.map { "?\($0)" } ?? ""
        return "\(scheme.rawValue)://\(authority)\(path)\(query)\(fragment.map { "#\($0)" } ?? "")"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
