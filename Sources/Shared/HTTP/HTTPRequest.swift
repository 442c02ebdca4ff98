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
    /// The most bytes that a body may have after decompression; more is `too-large`, status 77.
    public var byteLimit: Int
    /// Whether the server may compress the body for the transfer; it arrives decompressed in any case. Of use for
    /// text, not for pictures. Never asked for together with `rangeStart`.
    public var acceptsCompression: Bool
    /// Asks for the bytes from here on (RFC 9110 §14.2); the answer is 206 where the server does so, else 200.
    public var rangeStart: Int?
    public var timeouts: Timeouts

    public init(
        url: WebURL, headers: [HTTPHeader] = [], byteLimit: Int = HTTPRequest.defaultByteLimit,
        acceptsCompression: Bool = true, rangeStart: Int? = nil, timeouts: Timeouts = Timeouts()
    ) {
        self.url = url
        self.headers = headers
        self.byteLimit = byteLimit
        self.acceptsCompression = acceptsCompression
        self.rangeStart = rangeStart
        self.timeouts = timeouts
    }
}
