import Support

/// A transport that keeps to the quotas of servers, with a ledger that may be shared.
///
/// Placed between the client and the transport that carries out requests, so that retries and redirects count too.
/// While it waits for a slot, it tells the receiver of pauses. Waiting does not shorten the time that the exchange
/// itself may take.
public struct QuotaTransport: HTTPTransport {
    /// How long to wait at most for a server that refuses all requests: as for a `Retry-After`.
    static let longestRefusal = Duration.seconds(60)

    private let base: any HTTPTransport
    private let ledger: @Sendable (WebURL) -> any QuotaLedger
    private let log: Log
    private let clock: Clock
    private let sleep: Sleeper?
    /// Only one thread at a time takes a slot and waits for it, so that a process holds at most one ahead of time.
    private let turns = HostLimit(1)
    private let hasToldOfPauses = Monitor(false)

    /// - Parameters:
    ///   - ledger: returns the ledger with the quotas of an address's server.
    ///   - log: told in details how many requests are left.
    ///   - sleep: by default the `sleep` of the exchange's interruption.
    public init(
        over base: any HTTPTransport, ledger: @escaping @Sendable (WebURL) -> any QuotaLedger, log: Log = .silent,
        clock: Clock = .system, sleep: Sleeper? = nil
    ) {
        self.base = base
        self.ledger = ledger
        self.log = log
        self.clock = clock
        self.sleep = sleep
    }

    /// Waits for a slot, then carries out one exchange. Throws `FetchFailure`, `Cancelled`, and what `receive` throws.
    public func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        let name = Self.name(of: request)
        let ledger = ledger(request.url)
        func wait(_ span: Duration) throws {
            if span <= .zero { return }
            try base.waiting(.rateLimit, host: request.url.origin.host, for: span) {
                var rest = span
                while rest > .zero {
                    let piece = min(rest, HTTPEvent.pauseLength)
                    try sleep.map { try $0(piece) } ?? interruption.sleep(piece)
                    try receive(.pause)
                    rest -= piece
                }
            }
        }
        let number = try turns.withRoom(at: request.url, interruption: interruption) {
            try takeTurn(name, ledger, request.url, wait)
        }
        var head: HTTPResponse?
        do {
            let response = try base.exchange(request, interruption: interruption) { event in
                if case .head(let response) = event { head = response }
                try receive(event)
            }
            try learn(from: response, name, ledger, number)
            return response
        } catch {
            if let head { try learn(from: head, name, ledger, number) }
            throw error
        }
    }

    /// Throws what `body` throws.
    public func waiting(
        _ reason: Progress.WaitReason, host: String, for span: Duration, _ body: () throws -> Void
    ) throws {
        try base.waiting(reason, host: host, for: span, body)
    }

    /// Waits until the request may be made, and returns its number. Throws `FetchFailure.quotaUsedUp` if that would
    /// take too long, `Cancelled`, and what `wait` throws.
    private func takeTurn(
        _ name: String, _ ledger: any QuotaLedger, _ url: WebURL, _ wait: (Duration) throws -> Void
    ) throws -> Int {
        let asked = clock.now()
        while true {
            let (turn, quota) = try ledger.update(name) { ($0.take(now: clock.now()), $0) }
            switch turn {
            case .go(let pause, let number):
                if pause > .zero { tellOfPause(pause, quota, url) }
                try wait(pause)
                return number
            case .refused(let until):
                guard until - asked <= Self.longestRefusal else {
                    throw FetchFailure.quotaUsedUp(
                        FetchFailure.UsedUpQuota(
                            url: url, limit: quota.limit, until: until, retryAfter: until - clock.now()))
                }
                let pause = until - clock.now()
                log.detail("\(url.host) takes no requests for \(pause.milliseconds) ms")
                try wait(pause)
            }
        }
    }

    private func tellOfPause(_ pause: Duration, _ quota: RequestQuota, _ url: WebURL) {
        if !hasToldOfPauses.testAndSet() {
            log.notice("few requests are left at \(url.host), which are made more slowly from here on")
        }
        log.detail("next request to \(url.host) in \(pause.milliseconds) ms, to make the rest of them last")
    }

    private func learn(
        from response: HTTPResponse, _ name: String, _ ledger: any QuotaLedger, _ number: Int
    ) throws {
        let now = clock.now()
        let report = QuotaReport(response, now: now)
        guard !report.isEmpty else { return }
        try ledger.update(name) { $0.learn(report, number: number, now: clock.now()) }
        guard let remaining = report.remaining else { return }
        log.detail("\(response.url.host) says: \(remaining)\(report.limit.map { " of \($0)" } ?? "") requests left")
    }

    /// The name of the quota that a request counts against: a digest of its origin and of every field that only
    /// that server may see, above all a key. A digest, so that no ledger holds a key.
    static func name(of request: HTTPRequest) -> String {
        let own = request.headers.filter { !$0.crossesOrigins }.map { "\($0.name.lowercased()): \($0.value)" }
        return SHA256.hex(of: ([request.url.origin.description] + own.sorted()).joined(separator: "\n"))
    }
}
