import Support

extension HTTPClient {
    /// How many bytes of the body of a refusal are kept for the failure.
    static let errorBodyLimit = 65_536

    /// How many bytes are delivered at once if the rate is limited, so that they come evenly.
    static let pacedPiece = 16_384

    /// The request of one attempt, and the statuses that it accepts.
    public typealias Attempt = (request: HTTPRequest, statuses: Set<Int>)

    /// A receiver throws this if the answer is of no use, but another request may get a better one. That is made at
    /// once, as part of the same attempt. The receiver must see to it that the next request asks for something else.
    public struct AskAgain: Error {
        public init() {}
    }

    /// Gets the request's URL and passes the answer to `receive`: its head, then its body, both only if its status is
    /// one of `statuses`. Another head means that an attempt is repeated: the receiver starts over. It is told of
    /// pauses before the head, too.
    ///
    /// Transient failures are retried according to the schedule. Throws `FetchFailure`, `WebURLFailure` (a redirect to
    /// an address that isn't opened), `Cancelled`, and what `receive` throws, which is never retried.
    public func get(
        _ request: HTTPRequest, accepting statuses: Set<Int> = HTTPResponse.wholeStatuses,
        receive: (HTTPEvent) throws -> Void, check: (HTTPResponse) throws -> Void = { _ in }
    ) throws -> HTTPResponse {
        try get(attempts: { (request, statuses) }, receive: receive, check: check)
    }

    /// Does the same with a separate request for each attempt, so that one may continue where the last one broke off
    /// (`rangeStart`). Such progress restarts the schedule, as what comes in pieces will be complete some time; but the
    /// time limit for all attempts together stays that of the first request. Throws what `get(_:accepting:receive:)`
    /// throws, and what `next` throws.
    ///
    /// - Parameters:
    ///   - next: called before each attempt, and after each `AskAgain`.
    ///   - check: called with each answer once its body has ended; the attempt fails with the error that it throws.
    public func get(
        attempts next: () throws -> Attempt, receive: (HTTPEvent) throws -> Void,
        check: (HTTPResponse) throws -> Void = { _ in }
    ) throws -> HTTPResponse {
        try get(attempts: next, receive: receive) { result in
            let response = try result.get()
            try check(response)
            return response
        }
    }

    /// - Parameter judge: what to make of an attempt's result; throws if it is not to be taken as an answer.
    private func get(
        attempts next: () throws -> Attempt, receive: (HTTPEvent) throws -> Void,
        judge: (Result<HTTPResponse, any Error>) throws -> HTTPResponse
    ) throws -> HTTPResponse {
        var (request, statuses) = try sendable(next())
        var deadline = uptime() + request.timeouts.total
        var attempt = 1
        var asked = 1
        while true {
            do {
                return try judge(
                    Result { try follow(request, accepting: statuses, deadline: &deadline, receive: receive) })
            } catch let stop as ReceiverStopped {
                guard stop.error is AskAgain else { throw stop.error }
                (request, statuses) = try sendable(next())
            } catch {
                let failure = Support.failure(of: error)
                let start = request.rangeStart ?? 0
                (request, statuses) = try sendable(next())
                if (request.rangeStart ?? 0) - start >= RetrySchedule.progress { attempt = 1 }
                let remaining = deadline - uptime()
                guard let delay = retries.delay(after: failure, attempt: attempt, remaining: remaining) else {
                    throw (error as? FetchFailure)?.asked(asked) ?? error
                }
                log.detail("\(failure.message); attempt \(asked + 1) in \(delay.milliseconds) ms")
                let reason = failure.code == "rate-limited" ? Progress.WaitReason.rateLimit : .retry
                try transport.waiting(reason, host: request.url.origin.host, for: delay) { try pause(delay) }
                attempt += 1
                asked += 1
            }
        }
    }

    /// The attempt with this client's timeouts. Throws `FetchFailure.badHeader`.
    private func sendable(_ attempt: Attempt) throws -> Attempt {
        var (request, statuses) = attempt
        if let header = request.headers.first(where: { !$0.isValid }) {
            throw FetchFailure.badHeader(name: header.name)
        }
        if let timeouts { request.timeouts = timeouts }
        if request.netrc == nil { request.netrc = passwords }
        return (request, statuses)
    }

    /// Gets a small answer whole, in memory. Throws `FetchFailure`, `WebURLFailure` (a redirect to an address that
    /// isn't opened) and `Cancelled`.
    ///
    /// - Parameter isPassingFault: whether an answer, whatever its status, is really a fault that may pass, such as
    ///   that of a gateway whose server is away. Such answers are retried like other transient failures, and thrown as
    ///   `FetchFailure.passingFault` in the end.
    public func data(
        _ request: HTTPRequest, accepting statuses: Set<Int> = HTTPResponse.wholeStatuses,
        isPassingFault: (FetchFailure.Answer) -> Bool = { _ in false }
    ) throws -> (HTTPResponse, [UInt8]) {
        var bytes: [UInt8] = []
        let response = try get(attempts: { (request, statuses) }) { event in
            switch event {
            case .head: bytes.removeAll(keepingCapacity: true)
            case .body(let chunk): bytes.append(contentsOf: chunk)
            case .pause: break
            }
        } judge: { result in
            switch result {
            case .success(let response):
                let answer = FetchFailure.Answer(
                    status: response.status, headers: response.headers, url: response.url,
                    body: Array(bytes.prefix(Self.errorBodyLimit)))
                if isPassingFault(answer) { throw FetchFailure.passingFault(answer) }
                return response
            case .failure(FetchFailure.status(let answer)) where isPassingFault(answer):
                throw FetchFailure.passingFault(answer)
            case .failure(let error): throw error
            }
        }
        return (response, bytes)
    }

    /// Waits for the next attempt, or to keep to the rate; calls `watch` meanwhile, if there is one.
    private func pause(_ span: Duration) throws {
        guard let watch else { return try sleep(span) }
        var rest = span
        while rest > .zero {
            let piece = min(rest, HTTPEvent.pauseLength)
            try sleep(piece)
            try watch()
            rest -= piece
        }
    }

    /// Makes one attempt: the request and the redirects that it leads to.
    private func follow(
        _ request: HTTPRequest, accepting statuses: Set<Int>, deadline: inout Duration,
        receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        var request = request
        var followed = 0
        while true {
            try interruption.check()
            try judge(request)
            let answer = try takingTurn(request, deadline: &deadline) { request in
                log.detail("\(request.method.name) \(request.url.redacted)")
                return try exchange(request, accepting: statuses, receive: receive)
            }
            let response = answer.response
            log.detail("\(response.status) \(response.url.redacted)")
            if statuses.contains(response.status) { return response }
            guard RedirectPolicy.isRedirect(response.status) else {
                throw FetchFailure.status(
                    FetchFailure.Answer(
                        status: response.status, headers: response.headers, url: response.url,
                        body: EchoedSecrets(of: request).removed(from: answer.body),
                        retryAfter: RetryAfter.duration(in: response.headers, now: clock.now())))
            }
            request = try redirects.next(after: response, to: request, followed: followed)
            followed += 1
        }
    }

    /// Waits until the request's host has room. That is not the server's fault, nor that of the request: the deadline
    /// moves by as much.
    private func takingTurn<Result>(
        _ request: HTTPRequest, deadline: inout Duration, _ body: (HTTPRequest) throws -> Result
    ) throws -> Result {
        var request = request
        let asked = uptime()
        var end = deadline
        defer { deadline = end }
        func begin() throws -> Result {
            let begun = uptime()
            end = end + (begun - asked)
            let remaining = end - begun
            guard remaining > .zero else { throw FetchFailure.timedOut(url: request.url, .receiving) }
            request.timeouts.total = remaining
            return try body(request)
        }
        guard let hosts else { return try begin() }
        return try hosts.withRoom(at: request.url, interruption: interruption, begin)
    }

    /// Judges a host that is an address, and whether secrets may be sent there, before anything is opened.
    private func judge(_ request: HTTPRequest) throws {
        if let exposure = request.exposure { throw exposure }
        if request.withholdsPassword { warnOfWithheldPassword(for: request.url) }
        let url = request.url
        guard let address = url.address, case .refused(let kind) = addressGuard.verdict(on: address) else { return }
        throw FetchFailure.blockedAddress(url: url, address: address, kind)
    }

    /// Carries out one exchange. Bodies of answers that aren't accepted are read up to `errorBodyLimit`; if there is
    /// more, the connection is closed.
    private func exchange(
        _ request: HTTPRequest, accepting statuses: Set<Int>, receive: (HTTPEvent) throws -> Void
    ) throws -> (response: HTTPResponse, body: [UInt8]) {
        var head: HTTPResponse?
        var isAccepted = false
        var body: [UInt8] = []
        var limit = BodyLimit(request)
        func orStop(_ body: () throws -> Void) throws {
            do { try body() } catch { throw ReceiverStopped(error: error) }
        }
        func pass(_ event: HTTPEvent) throws { try orStop { try receive(event) } }
        func pass(_ bytes: UnsafeRawBufferPointer) throws {
            guard let rate else { return try pass(.body(bytes)) }
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.pacedPiece))
                rest = rest.dropFirst(piece.count)
                try pass(.body(piece))
                let delay = rate.take(piece.count)
                if delay > .zero { try orStop { try pause(delay) } }
            }
        }
        do {
            let response = try transport.exchange(request, interruption: interruption) { event in
                if let watch { try orStop(watch) }
                switch event {
                case .head(let response):
                    head = response
                    isAccepted = statuses.contains(response.status)
                    body.removeAll()
                    guard isAccepted else { return }
                    guard request.method.gives else { return try pass(event) }
                    if !request.decompresses, let coding = response.headers.compression {
                        throw FetchFailure.unwantedEncoding(url: request.url, coding: coding)
                    }
                    try limit.begin(response)
                    try pass(event)
                case .body(let bytes):
                    if isAccepted {
                        try limit.add(bytes.count)
                        try pass(bytes)
                    } else {
                        let room = Self.errorBodyLimit - body.count
                        body.append(contentsOf: bytes.prefix(room))
                        if bytes.count > room { throw ReadEnough() }
                    }
                case .pause:
                    // The receiver sees nothing of an answer that is not accepted.
                    if isAccepted || head == nil { try pass(event) }
                }
            }
            if isAccepted { try limit.end(response) }
            return (response, body)
        } catch is ReadEnough {
            guard let head else { throw FetchFailure.badAnswer(url: request.url, detail: "a body without a head") }
            return (head, body)
        }
    }
}

/// The receiver's own error on its way through the transport and the retries.
private struct ReceiverStopped: Error {
    let error: any Error
}

/// Ends a transfer of which no more is wanted.
private struct ReadEnough: Error {}
