import Support

/// Why a request had no result.
public enum FetchFailure: Failure {
    /// The server answered with a status that isn't accepted.
    case status(Answer)
    /// The server is known to take no request for longer than is waited, so none was made.
    case quotaUsedUp(UsedUpQuota)
    /// The address guard refuses the host.
    case blockedAddress(url: WebURL, address: IPAddress?, AddressClass)
    /// A redirect from https to http.
    case insecureRedirect(from: WebURL, to: WebURL)
    case tooManyRedirects(url: WebURL, limit: Int)
    /// A redirect without, or with an unreadable, `Location` field.
    case badRedirect(url: WebURL, status: Int)
    case nameNotResolved(url: WebURL)
    case connectionFailed(url: WebURL, detail: String)
    case timedOut(url: WebURL, Phase)
    /// The connection broke before the body was complete.
    case cutShort(url: WebURL, detail: String)
    case tooLarge(url: WebURL, byteLimit: Int)
    /// The server's certificate isn't to be trusted.
    case badCertificate(url: WebURL, detail: String)
    /// TLS could not be agreed on for another reason.
    case tlsFailed(url: WebURL, detail: String)
    /// The body is compressed for the transfer although that was not asked for.
    case unwantedEncoding(url: WebURL, coding: String)
    /// What arrived isn't HTTP, or is compressed wrongly.
    case badAnswer(url: WebURL, detail: String)
    case proxyFailed(url: WebURL, detail: String)
    /// A header field that cannot be sent as it stands.
    case badHeader(name: String)
    /// The trusted certificates, the system's or those of a file that was given, cannot be read.
    case badCertificateFile(detail: String)
    case noLibcurl(detail: String)
    /// libcurl has run out of memory or refuses an option.
    case transportFault(url: WebURL, detail: String)

    public enum Phase: Sendable, Equatable {
        case connecting
        case waiting
        case receiving
    }

    /// An answer that isn't accepted.
    public struct Answer: Sendable {
        public let status: Int
        public let headers: HTTPHeaders
        public let url: WebURL
        /// The beginning of the body, at most 64 KiB.
        public let body: [UInt8]
        /// The pause that the server asks for in `Retry-After`; nil where it doesn't.
        public let retryAfter: Duration?

        public init(status: Int, headers: HTTPHeaders, url: WebURL, body: [UInt8] = [], retryAfter: Duration? = nil) {
            self.status = status
            self.headers = headers
            self.url = url
            self.body = body
            self.retryAfter = retryAfter
        }
    }

    /// A quota of requests with none left.
    public struct UsedUpQuota: Sendable, Hashable {
        public let url: WebURL
        /// Requests a window, where the server has said.
        public let limit: Int?
        public let until: Timestamp
        /// The same as a pause.
        public let retryAfter: Duration

        public init(url: WebURL, limit: Int?, until: Timestamp, retryAfter: Duration) {
            self.url = url
            self.limit = limit
            self.until = until
            self.retryAfter = retryAfter
        }
    }

    /// How long to wait before the next attempt, where that is known.
    public var retryAfter: Duration? {
        if case .quotaUsedUp(let quota) = self { return quota.retryAfter }
        return answer?.retryAfter
    }

    /// The status of the answer, where there was one.
    public var status: Int? { answer?.status }

    /// The fields of the answer, where there was one.
    public var headers: HTTPHeaders? { answer?.headers }

    /// The beginning of the answer's body, at most 64 KiB; empty where there was no answer.
    public var errorBody: [UInt8] { answer?.body ?? [] }

    public var answer: Answer? {
        if case .status(let answer) = self { return answer }
        return nil
    }
}
