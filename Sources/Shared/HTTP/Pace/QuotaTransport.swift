import Support

/// Delays requests to a server until the time that its responses state. Several processes may share the ledger.
///
/// Wraps the transport that carries out requests, so that each retry and redirect is delayed too. During a wait, the
/// receiver gets `HTTPEvent.pause`. A wait does not count towards the timeout of the exchange.
public struct QuotaTransport: HTTPTransport {
    /// The longest wait for a server that refuses requests, the same as for `Retry-After`.
    static let longestWait = Duration.seconds(60)

    private let base: any HTTPTransport
    private let ledger: @Sendable (WebURL) -> any QuotaLedger
    private let asksAnyway: Bool
    private let log: Log
    private let clock: Clock
    private let sleep: Sleeper?
    /// Quotas whose earlier refusal was removed because of `asksAnyway`.
    private let asked = Monitor<Set<String>>([])

    /// - Parameters:
    ///   - asksAnyway: whether to discard refusals from before this run, such as after the user has changed the API
    ///     plan.
    ///   - log: receives the number of requests left, at the detail level.
    ///   - sleep: by default the `sleep` of the exchange's interruption.
    public init(
        over base: any HTTPTransport, ledger: @escaping @Sendable (WebURL) -> any QuotaLedger,
        asksAnyway: Bool = false, log: Log = .silent, clock: Clock = .system, sleep: Sleeper? = nil
    ) {
        self.base = base
        self.ledger = ledger
        self.asksAnyway = asksAnyway
        self.log = log
        self.clock = clock
        self.sleep = sleep
    }

    /// Waits for the end of a short refusal, then carries out one exchange. Throws `FetchFailure.quotaUsedUp` if the
    /// refusal is longer, other `FetchFailure`s, `Cancelled`, and errors of `receive`.
    public func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        let name = Self.name(of: request)
        let ledger = ledger(request.url)
        if asksAnyway, asked.withLock({ $0.insert(name).inserted }), try ledger.refusal(of: name) != nil {
            try ledger.keep(nil, of: name)
        }
        let begun = clock.now()
        while let refusal = try ledger.refusal(of: name), case let pause = refusal.until - clock.now(), pause > .zero {
            guard refusal.until - begun <= Self.longestWait else {
                throw FetchFailure.quotaUsedUp(
                    FetchFailure.UsedUpQuota(
                        url: request.url, limit: refusal.limit, until: refusal.until, retryAfter: pause))
            }
            log.detail("\(request.url.host) accepts no requests for \(pause.milliseconds) ms")
            try base.waiting(.rateLimit, host: request.url.origin.host, for: pause) {
                var rest = pause
                while rest > .zero {
                    let piece = min(rest, HTTPEvent.pauseLength)
                    try sleep.map { try $0(piece) } ?? interruption.sleep(piece)
                    try receive(.pause)
                    rest -= piece
                }
            }
        }
        var head: HTTPResponse?
        let result = Result {
            try base.exchange(request, interruption: interruption) { event in
                if case .head(let response) = event { head = response }
                try receive(event)
            }
        }
        if let response = (try? result.get()) ?? head {
            let report = QuotaReport(response, now: clock.now())
            if let remaining = report.remaining {
                log.detail("\(response.url.host): \(remaining)\(report.limit.map { " of \($0)" } ?? "") requests left")
            }
            if let refusal = report.refusal {
                try ledger.keep(QuotaRefusal(until: clock.now() + refusal, limit: report.limit), of: name)
            }
        }
        return try result.get()
    }

    public func waiting(
        _ reason: Progress.WaitReason, host: String, for span: Duration, _ body: () throws -> Void
    ) throws { try base.waiting(reason, host: host, for: span, body) }

    /// Returns the name of the quota that a request counts against: a digest of its origin and of the fields for that
    /// origin only, such as an API key. The digest keeps keys out of the ledger.
    static func name(of request: HTTPRequest) -> String {
        let own = request.headers.filter { !$0.survivesCrossOriginRedirect }.map {
            "\($0.name.lowercased()): \($0.value)"
        }
        return SHA256.hex(of: ([request.url.origin.description] + own.sorted()).joined(separator: "\n"))
    }
}
