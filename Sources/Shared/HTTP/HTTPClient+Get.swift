import Support

extension HTTPClient {
    /// The maximum number of bytes of an error response in a `FetchFailure`.
    static let errorBodyLimit = 65_536

    /// The maximum number of bytes per delivery if the rate is limited, so that data arrives evenly.
    static let pacedPiece = 16_384

    /// A request and its accepted statuses.
    public typealias Attempt = (request: HTTPRequest, statuses: Set<Int>)

    /// Thrown by a receiver if the response is useless but a different request may succeed. The client makes the next
    /// request immediately, within the same attempt. The receiver must ensure that the requests differ.
    public struct RetryNow: Error {
        public init() {}
    }

    /// Sends the request, and passes the head and body of a response with one of the accepted `statuses` to `receive`.
    /// Each further head starts another attempt, so the receiver must start over. `HTTPEvent.pause` may also arrive
    /// before a head.
    ///
    /// Transient failures are retried according to the schedule. Throws `FetchFailure`, `WebURLFailure` (a redirect to
    /// an invalid address), `Cancelled`, and errors of `receive`, after which there is no retry.
    public func get(
        _ request: HTTPRequest, accepting statuses: Set<Int> = HTTPResponse.fullRepresentationStatuses,
        receive: (HTTPEvent) throws -> Void, check: (HTTPResponse) throws -> Void = { _ in }
    ) throws -> HTTPResponse { try get(attempts: { (request, statuses) }, receive: receive, check: check) }

    /// Calls `next` for the request of each attempt, so that an attempt may continue the body of the previous attempt
    /// (`rangeStart`). An attempt with enough progress restarts the retry schedule, since further attempts will
    /// complete the body. The total timeout of the first request applies to all attempts together. Also throws errors
    /// of `next`.
    ///
    /// - Parameters:
    ///   - next: called before each attempt, and after each `RetryNow`.
    ///   - check: called with each response after its body. The attempt fails if `check` throws.
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

    /// - Parameter judge: turns the result of an attempt into a response, or throws.
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
                guard stop.error is RetryNow else { throw stop.error }
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

    /// Adds this client's timeouts and passwords. Throws `FetchFailure.badHeader` for an invalid header field.
    private func sendable(_ attempt: Attempt) throws -> Attempt {
        var (request, statuses) = attempt
        if let header = request.headers.first(where: { !$0.isValid }) {
            throw FetchFailure.badHeader(name: header.name)
        }
        if let timeouts { request.timeouts = timeouts }
        if request.netrc == nil { request.netrc = passwords }
        return (request, statuses)
    }

    /// Returns a small response with its body in memory. Throws `FetchFailure`, `WebURLFailure` (a redirect to an
    /// invalid address) and `Cancelled`.
    ///
    /// - Parameter isPassingFault: whether a response with any status is a temporary fault, such as a gateway's error
    ///   while its server is down. Such a response is retried like other transient failures, and finally thrown as
    ///   `FetchFailure.passingFault`.
    public func data(
        _ request: HTTPRequest, accepting statuses: Set<Int> = HTTPResponse.fullRepresentationStatuses,
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
                let answer = FetchFailure.Answer(response, body: Array(bytes.prefix(Self.errorBodyLimit)))
                if isPassingFault(answer) { throw FetchFailure.passingFault(answer) }
                return response
            case .failure(FetchFailure.status(let answer)) where isPassingFault(answer):
                throw FetchFailure.passingFault(answer)
            case .failure(let error): throw error
            }
        }
        return (response, bytes)
    }

    /// Waits before the next attempt or for the rate limit, calling `watch` every `HTTPEvent.pauseLength`.
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

    /// Makes one attempt: a request and its redirects.
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
                        response, body: EchoedSecrets(of: request).removed(from: answer.body),
                        retryAfter: response.headers.retryAfter(now: clock.now())))
            }
            request = try redirects.next(after: response, to: request, followed: followed)
            followed += 1
        }
    }

    /// Waits until `hosts` permits an exchange with this host, and extends the deadline by the wait.
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

    /// Checks whether the host may receive the request's secrets, and whether a host that is an IP address is allowed.
    private func judge(_ request: HTTPRequest) throws {
        if let exposure = request.cleartextFailure { throw exposure }
        if request.withholdsPassword { warnOfWithheldPassword(for: request.url) }
        let url = request.url
        guard let address = url.address, case .refused(let kind) = addressGuard.verdict(on: address) else { return }
        throw FetchFailure.blockedAddress(url: url, address: address, kind)
    }

    /// Carries out one exchange. Keeps up to `errorBodyLimit` bytes of a body whose status is not accepted, and closes
    /// the connection if there are more.
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
                    guard request.method.hasResponseBody else { return try pass(event) }
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
                        if bytes.count > room, let head { throw ReadEnough(response: head) }
                    }
                case .pause:
                    // The receiver gets no event of a response that is not accepted.
                    if isAccepted || head == nil { try pass(event) }
                }
            }
            if isAccepted { try limit.end(response) }
            return (response, body)
        } catch let enough as ReadEnough {
            return (enough.response, body)
        }
    }
}

/// Carries the receiver's error through the transport and the retries.
private struct ReceiverStopped: Error {
    let error: any Error
}

/// Ends a transfer whose remaining body is not needed.
private struct ReadEnough: Error {
    let response: HTTPResponse
}
