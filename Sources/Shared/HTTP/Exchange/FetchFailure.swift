import Support

/// Why a request failed.
public enum FetchFailure: Failure {
    /// The server answered with a status that isn't accepted.
    case status(Answer)
    /// The server is known to refuse requests for longer than the tools wait, so no request was sent.
    case quotaUsedUp(UsedUpQuota)
    /// An answer that the caller considers a temporary fault.
    case passingFault(Answer)
    /// A transient failure of the last attempt, and the number of attempts.
    indirect case repeated(FetchFailure, attempts: Int)
    case blockedAddress(url: WebURL, address: IPAddress?, AddressClass)
    case insecureRedirect(from: WebURL, to: WebURL)
    /// A secret header field would be sent unencrypted.
    case exposedSecret(url: WebURL, header: String)
    case tooManyRedirects(url: WebURL, limit: Int)
    /// The `Location` field of a redirect is missing or invalid.
    case badRedirect(url: WebURL, status: Int)
    case nameNotResolved(url: WebURL)
    case connectionFailed(url: WebURL, detail: String)
    case timedOut(url: WebURL, Phase)
    /// The connection broke before the body was complete.
    case cutShort(url: WebURL, detail: String)
    case tooLarge(url: WebURL, byteLimit: Int)
    case badCertificate(url: WebURL, detail: String)
    /// The TLS handshake failed for a reason other than an untrusted certificate.
    case tlsFailed(url: WebURL, detail: String)
    /// The body was compressed although the request did not allow it.
    case unwantedEncoding(url: WebURL, coding: String)
    /// The answer is not HTTP, or its compression is broken.
    case badAnswer(url: WebURL, detail: String)
    case proxyFailed(url: WebURL, detail: String)
    /// The name or the value of a header field is invalid.
    case badHeader(name: String)
    /// The trusted certificates (the system's or the user's file) cannot be read.
    case badCertificateFile(detail: String)
    case noLibcurl(detail: String)
    /// libcurl is out of memory or refuses an option.
    case transportFault(url: WebURL, detail: String)

    /// The phase in which the time ran out. The raw value is its description in messages.
    public enum Phase: String, Sendable {
        case connecting = "no connection"
        case waiting = "no bytes received"
        case receiving = "incomplete response"
    }

    /// An answer that isn't accepted.
    public struct Answer: Sendable {
        public let status: Int
        public let headers: HTTPHeaders
        public let url: WebURL
        /// The beginning of the body, at most 64 KiB.
        public let body: [UInt8]
        /// The delay that `Retry-After` requests.
        public let retryAfter: Duration?

        public init(status: Int, headers: HTTPHeaders, url: WebURL, body: [UInt8] = [], retryAfter: Duration? = nil) {
            self.status = status
            self.headers = headers
            self.url = url
            self.body = body
            self.retryAfter = retryAfter
        }

        init(_ response: HTTPResponse, body: [UInt8] = [], retryAfter: Duration? = nil) {
            self.init(
                status: response.status, headers: response.headers, url: response.url, body: body,
                retryAfter: retryAfter)
        }
    }

    /// A request quota with no requests left.
    public struct UsedUpQuota: Sendable, Hashable {
        public let url: WebURL
        /// Requests per window, if known.
        public let limit: Int?
        public let until: Timestamp
        /// The time from the request to `until`.
        public let retryAfter: Duration
    }

    /// Adds the number of attempts to a transient failure if there were several.
    func asked(_ attempts: Int) -> FetchFailure {
        attempts > 1 && isTransient ? .repeated(self, attempts: attempts) : self
    }

    public var attempts: Int {
        if case .repeated(_, let attempts) = self { return attempts }
        return 1
    }

    /// The failure without the number of attempts.
    var single: FetchFailure {
        if case .repeated(let failure, _) = self { return failure }
        return self
    }

    /// Whether the server could not be reached, so the next request would probably fail in the same way.
    public var isOutOfReach: Bool {
        switch single {
        case .nameNotResolved, .connectionFailed, .timedOut, .tlsFailed, .proxyFailed: true
        default: false
        }
    }

    public var retryAfter: Duration? { usedUpQuota?.retryAfter ?? answer?.retryAfter }

    public var usedUpQuota: UsedUpQuota? {
        if case .quotaUsedUp(let quota) = single { return quota }
        return nil
    }

    public var status: Int? { answer?.status }

    public var answer: Answer? {
        switch single {
        case .status(let answer), .passingFault(let answer): answer
        default: nil
        }
    }
}
