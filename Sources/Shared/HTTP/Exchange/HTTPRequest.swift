import Support

/// A request for a URL, with its limits. A GET request, unless it is sent by `HTTPClient.head` or `put`.
public struct HTTPRequest: Sendable {
    public struct Timeouts: Sendable, Hashable {
        /// The maximum time for name lookup, TCP and TLS together.
        public var connect: Duration
        /// The maximum time without data.
        public var stall: Duration
        /// The maximum time for all redirects, all attempts and the pauses between them.
        public var total: Duration

        public init(connect: Duration = .seconds(30), stall: Duration = .seconds(30), total: Duration = .seconds(120)) {
            self.connect = connect
            self.stall = stall
            self.total = total
        }
    }

    /// RFC 9110 §9.3.
    enum Method: Sendable {
        case get, head
        /// The source must not change during the request. It is read again for each retry.
        case put(any ByteSource)

        var name: String {
            switch self {
            case .get: "GET"
            case .head: "HEAD"
            case .put: "PUT"
            }
        }

        /// Whether a response has the body that its header fields describe. A response to HEAD has no body.
        var hasResponseBody: Bool { if case .head = self { false } else { true } }
    }

    public var url: WebURL
    /// Added to the tools' own fields; a `User-Agent` replaces the tools' own.
    public var headers: [HTTPHeader]
    /// User names and passwords for URLs without a password, also after redirects.
    public var netrc: Netrc?
    /// Origins that the user gave with `http://`: secrets may be sent to them unencrypted.
    public var cleartextOrigins: Set<WebURL.Origin>
    /// The maximum size of the decompressed body in bytes. A larger body is `too-large`, status 77.
    public var byteLimit: Int
    /// Whether the server may compress the body, which makes text smaller but not pictures. The receiver gets the
    /// decompressed body. Ignored with `rangeStart`.
    public var acceptsCompression: Bool
    /// The offset of the first requested byte (RFC 9110 §14.2). A server that does not support ranges answers 200
    /// instead of 206.
    public var rangeStart: Int?
    public var timeouts: Timeouts
    var method = Method.get
    /// Whether the request is sent to a proxy, and so leaves this machine even if the host is local.
    var usesProxy = false

    public init(
        url: WebURL, headers: [HTTPHeader] = [], netrc: Netrc? = nil, cleartextOrigins: Set<WebURL.Origin> = [],
        byteLimit: Int = ByteCount.largestPicture, acceptsCompression: Bool = true, rangeStart: Int? = nil,
        timeouts: Timeouts = Timeouts()
    ) {
        self.url = url
        self.headers = headers
        self.netrc = netrc
        self.cleartextOrigins = cleartextOrigins
        self.byteLimit = byteLimit
        self.acceptsCompression = acceptsCompression
        self.rangeStart = rangeStart
        self.timeouts = timeouts
    }

    /// Whether the response may differ between users: the request has a header field for a single origin, a user name
    /// and password, a `.netrc` (a redirect may lead to one of its hosts), or a secret in the address.
    public var carriesCredentials: Bool {
        netrc != nil || url.credentials != nil || headers.contains { !$0.survivesCrossOriginRedirect } || url.hasSecrets
    }

    var decompresses: Bool { acceptsCompression && rangeStart == nil }

    /// The user name and password to send; nil if a header field contains the authorization.
    var credentials: WebURL.Credentials? {
        if headers.contains(where: \.isAuthorization) { return nil }
        if let own = url.credentials, netrc == nil || !own.password.isEmpty { return own }
        return (mayCarrySecrets ? netrc?.credentials(for: url) : nil) ?? url.credentials
    }

    /// Whether the request may carry secrets: it is encrypted, stays on this machine, or the user permits cleartext.
    private var mayCarrySecrets: Bool {
        url.scheme == .https || url.isLoopback && !usesProxy || cleartextOrigins.contains(url.origin)
    }

    /// The failure if an eavesdropper could read a secret header field; nil if the request may be sent.
    public var cleartextFailure: FetchFailure? {
        guard !mayCarrySecrets, let header = headers.first(where: { !$0.survivesCrossOriginRedirect }) else {
            return nil
        }
        return .exposedSecret(url: url, header: header.name)
    }

    /// Whether the `.netrc` has a password for the host, but an eavesdropper could read it, so it is not sent.
    var withholdsPassword: Bool { !mayCarrySecrets && netrc?.credentials(for: url) != nil }
}
