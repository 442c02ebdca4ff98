/// A request for one URL with all its limits: GET, unless the client is told to `head` or `put`.
public struct HTTPRequest: Sendable {
    /// How long things may take.
    public struct Timeouts: Sendable, Hashable {
        /// Name lookup, TCP and TLS together.
        public var connect: Duration
        /// How long nothing may arrive.
        public var stall: Duration
        /// Everything: all redirects, all attempts and the pauses between them.
        public var total: Duration

        public init(
            connect: Duration = .seconds(30), stall: Duration = .seconds(30), total: Duration = .seconds(120)
        ) {
            self.connect = connect
            self.stall = stall
            self.total = total
        }
    }

    /// What is asked for (RFC 9110 §9.3).
    enum Method: Sendable {
        case get
        case head
        case put(RequestBody)

        var name: String {
            switch self {
            case .get: "GET"
            case .head: "HEAD"
            case .put: "PUT"
            }
        }

        /// Whether an answer's body is that of the resource, as its fields say.
        var gives: Bool { if case .head = self { false } else { true } }
    }

    /// 256 MB: the largest originals of the archive have about 200 MB.
    public static let defaultByteLimit = 256_000_000

    public var url: WebURL
    /// Sent in addition to the tools' own fields; a `User-Agent` here replaces theirs.
    public var headers: [HTTPHeader]
    /// Where to look for a user name and a password if the URL has none; after a redirect, for those of the new host.
    public var netrc: Netrc?
    /// Origins that the user named with `http://`, so that secrets may be sent there unencrypted.
    public var cleartextOrigins: Set<WebURL.Origin>
    /// The most bytes that a body may have after decompression; more is `too-large`, status 77.
    public var byteLimit: Int
    /// Whether the server may compress the body for the transfer; it arrives decompressed in any case. Useful for text,
    /// not for pictures. Ignored with `rangeStart`.
    public var acceptsCompression: Bool
    /// Asks for the bytes from here on (RFC 9110 §14.2); the answer is 206 if the server does that, else 200.
    public var rangeStart: Int?
    public var timeouts: Timeouts
    var method = Method.get
    /// Whether it goes through a proxy, so that it leaves this machine whatever its host is.
    var passesProxy = false

    public init(
        url: WebURL, headers: [HTTPHeader] = [], netrc: Netrc? = nil, cleartextOrigins: Set<WebURL.Origin> = [],
        byteLimit: Int = HTTPRequest.defaultByteLimit, acceptsCompression: Bool = true, rangeStart: Int? = nil,
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

    /// Whether the answer may differ from user to user: there is a field for one server, a user name and a password
    /// (in the URL, or from a `.netrc`, even if only a redirect leads to its host), or a secret in the address.
    public var carriesCredentials: Bool {
        netrc != nil || url.credentials != nil || headers.contains { !$0.crossesOrigins } || url.hasSecrets
    }

    /// Whether the body may arrive compressed.
    var decompresses: Bool { acceptsCompression && rangeStart == nil }

    /// The user name and password to send; nil if a field has the authorization already.
    var credentials: WebURL.Credentials? {
        if headers.contains(where: \.isAuthorization) { return nil }
        if let own = url.credentials, netrc == nil || !own.password.isEmpty { return own }
        return (keepsSecrets ? netrc?.credentials(for: url) : nil) ?? url.credentials
    }

    /// Whether nobody else can read what is sent: it is encrypted, or stays on this machine; or the user allows that.
    private var keepsSecrets: Bool {
        url.scheme == .https || url.isLoopback && !passesProxy || cleartextOrigins.contains(url.origin)
    }

    /// Why the request must not be sent: everyone on the way could read a field that only its server may see. Nil
    /// if it may be sent.
    public var exposure: FetchFailure? {
        guard !keepsSecrets, let header = headers.first(where: { !$0.crossesOrigins }) else { return nil }
        return .exposedSecret(url: url, header: header.name)
    }

    /// Whether the `.netrc` has an entry for the host that is not sent, since everyone on the way could read it.
    var withholdsPassword: Bool { !keepsSecrets && netrc?.credentials(for: url) != nil }
}
