/// A GET of one URL with all that limits it.
public struct HTTPRequest: Sendable {
    /// How long things may take.
    public struct Timeouts: Sendable, Hashable {
        /// Name lookup, TCP and TLS together.
        public var connect: Duration
        /// Without a single byte.
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

    /// 256 MB: the largest originals of the archive have about 200 MB.
    public static let defaultByteLimit = 256_000_000

    public var url: WebURL
    /// Sent in addition to the tools' own; a `User-Agent` here replaces theirs.
    public var headers: [HTTPHeader]
    /// Where to look for a user name and a password if the URL has none; after a redirect for those of the new host.
    public var netrc: Netrc?
    /// Origins that the user named with `http://`, and which may therefore be sent secrets unencrypted.
    public var cleartextOrigins: Set<WebURL.Origin>
    /// The most bytes that a body may have after decompression; more is `too-large`, status 77.
    public var byteLimit: Int
    /// Whether the server may compress the body for the transfer; it arrives decompressed in any case. Of use for
    /// text, not for pictures. Never asked for together with `rangeStart`.
    public var acceptsCompression: Bool
    /// Asks for the bytes from here on (RFC 9110 §14.2); the answer is 206 where the server does so, else 200.
    public var rangeStart: Int?
    public var timeouts: Timeouts
    /// Whether a proxy gets to see it, so that it leaves this machine whatever its host is.
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

    /// Whether the answer may be one for somebody in particular: a field that is meant for one server, a user name and
    /// a password in the URL or, there or behind a redirect, from a `.netrc`, or a key in the query.
    public var carriesCredentials: Bool {
        netrc != nil || url.credentials != nil || headers.contains { !$0.crossesOrigins } || url.withoutSecrets != url
    }

    /// Whether the body may come compressed.
    var decompresses: Bool { acceptsCompression && rangeStart == nil }

    /// The user name and the password to send. None where a field has the authorization already.
    var credentials: WebURL.Credentials? {
        if headers.contains(where: \.isAuthorization) { return nil }
        if let own = url.credentials, netrc == nil || !own.password.isEmpty { return own }
        return (keepsSecrets ? netrc?.credentials(for: url) : nil) ?? url.credentials
    }

    /// Whether what is sent stays between the user and the server: it is encrypted, does not leave this machine, or
    /// the user wants it so.
    private var keepsSecrets: Bool {
        url.scheme == .https || url.isLoopback && !passesProxy || cleartextOrigins.contains(url.origin)
    }

    /// Why the request must not be sent: it would show a field that is meant for its server alone to everyone on the
    /// way. Nil if it may be sent.
    public var exposure: FetchFailure? {
        guard !keepsSecrets, let header = headers.first(where: { !$0.crossesOrigins }) else { return nil }
        return .exposedSecret(url: url, header: header.name)
    }

    /// Whether the `.netrc` has an entry for the host that is not sent, since everyone on the way could read it.
    var withholdsPassword: Bool { !keepsSecrets && netrc?.credentials(for: url) != nil }
}
