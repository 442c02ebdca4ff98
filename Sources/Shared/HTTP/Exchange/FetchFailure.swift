import Support

/// Why a request had no result.
public enum FetchFailure: Failure {
    /// The server answered with a status that isn't accepted.
    case status(Answer)
    /// The server is known to take no request for longer than is waited, so none was made.
    case quotaUsedUp(UsedUpQuota)
    /// An answer that whoever asked takes for a fault that may pass.
    case passingFault(Answer)
    /// A transient failure that came as often as that, every time but the last one with a pause after it.
    indirect case repeated(FetchFailure, attempts: Int)
    /// The address guard refuses the host.
    case blockedAddress(url: WebURL, address: IPAddress?, AddressClass)
    /// A redirect from https to http.
    case insecureRedirect(from: WebURL, to: WebURL)
    /// A field that is meant for one server alone would go there unencrypted.
    case exposedSecret(url: WebURL, header: String)
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
        /// The pause that the server asks for in `Retry-After`; nil if it doesn't.
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

    /// The failure as it is after so many attempts.
    func asked(_ attempts: Int) -> FetchFailure {
        attempts > 1 && isTransient ? .repeated(self, attempts: attempts) : self
    }

    /// How often was asked.
    public var attempts: Int {
        if case .repeated(_, let attempts) = self { return attempts }
        return 1
    }

    /// The failure itself, of however many attempts.
    var single: FetchFailure {
        if case .repeated(let failure, _) = self { return failure }
        return self
    }

    /// Whether nobody answered: the next request to the same server would most likely meet the same.
    public var isOutOfReach: Bool {
        switch single {
        case .nameNotResolved, .connectionFailed, .timedOut, .tlsFailed, .proxyFailed: true
        default: false
        }
    }

    /// How long to wait before the next attempt, where that is known.
    public var retryAfter: Duration? { usedUpQuota?.retryAfter ?? answer?.retryAfter }

    /// Why no request was made.
    public var usedUpQuota: UsedUpQuota? {
        if case .quotaUsedUp(let quota) = single { return quota }
        return nil
    }

    /// The status of the answer, where there was one.
    public var status: Int? { answer?.status }

    /// The fields of the answer, where there was one.
    public var headers: HTTPHeaders? { answer?.headers }

    public var answer: Answer? {
        switch single {
        case .status(let answer), .passingFault(let answer): answer
        default: nil
        }
    }
}
