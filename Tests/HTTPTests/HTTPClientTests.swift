import Support
import Testing

@testable import HTTP

@Suite struct HTTPClientTests {
    private let pauses = Monitor<[Duration]>([])

    private func client(_ transport: any HTTPTransport, guard guarding: AddressGuard = .standard) -> HTTPClient {
        let pauses = pauses
        return HTTPClient(
            transport: transport, guard: guarding, retries: RetrySchedule(random: { 1 }), interruption: Interruption(),
            uptime: { pauses.withLock { $0.reduce(.zero, +) } },
            sleep: { pause in pauses.withLock { $0.append(pause) } })
    }

    private func request(_ url: String = "http://a/", byteLimit: Int = 1000) throws -> HTTPRequest {
        let url = try WebURL(url)
        return HTTPRequest(
            url: url, headers: [HTTPHeader("X-Key", "secret")], cleartextOrigins: [url.origin], byteLimit: byteLimit)
    }

    @Test func bodyOfAnAcceptedResponseIsDelivered() throws {
        let transport = ScriptedTransport { _, _ in .ok("hello") }
        let (response, bytes) = try client(transport).data(request())
        #expect(response.status == 200)
        #expect(bytes == Array("hello".utf8))
    }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.1.1", "169.254.169.254", "172.16.0.1",
        "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "224.0.0.1", "240.0.0.1",
        "255.255.255.255", "0x7f.1", "2130706433", "168.63.129.16", "[::]", "[::1]", "[fc00::1]", "[fe80::1]",
        "[fec0::1]", "[ff02::1]", "[100::1]", "[2001:db8::1]", "[2001:2::1]", "[2001:10::1]", "[2001:5::1]",
        "[3fff::1]", "[5f00::1]", "[4000::1]", "[fd00:ec2::254]", "[::ffff:127.0.0.1]", "[::127.0.0.1]",
        "[::ffff:0:10.0.0.1]", "[2002:7f00:1::]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]",
        "[64:ff9b:1:7f00:0:100::]", "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
    ])
    func redirectToANonPublicAddressIsRefused(host: String) throws {
        let transport = ScriptedTransport { _, _ in .redirect("http://\(host)/x") }
        let failure = #expect(throws: FetchFailure.self) { try client(transport).data(request("http://8.8.8.8/")) }
        #expect(failure?.code == "blocked-address")
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: ["gzip", "GZIP", "x-gzip", "br", "identity, gzip", "deflate"])
    func unrequestedCompressionIsRefusedBeforeTheBody(coding: String) throws {
        let transport = ScriptedTransport { _, _ in
            .init(headers: HTTPHeaders(["Content-Encoding": coding]).fields, body: [[1, 2, 3]])
        }
        for rangeStart in [nil, 5] {
            var plain = try request()
            plain.acceptsCompression = rangeStart != nil
            plain.rangeStart = rangeStart
            let failure = #expect(throws: FetchFailure.self) {
                try client(transport).get(plain) { _ in Issue.record("an event was delivered") }
            }
            #expect(failure?.code == "unwanted-encoding")
            #expect(failure?.exitCode == .data && failure?.isTransient == false)
        }
        #expect(try client(transport).data(request()).1 == [1, 2, 3])
    }

    @Test(arguments: ["", "identity", "none", "UTF-8"])
    func unknownContentCodingsPass(coding: String) throws {
        let transport = ScriptedTransport { _, _ in
            .init(headers: HTTPHeaders(["Content-Encoding": coding]).fields, body: [[1]])
        }
        var plain = try request()
        plain.acceptsCompression = false
        #expect(try client(transport).data(plain).1 == [1])
    }

    @Test func failedAttemptsAreRetriedFromTheStart() throws {
        let transport = ScriptedTransport { request, count in
            switch count {
            case 0: .status(503)
            case 1: .init(body: [[1, 2]], error: .cutShort(url: request.url, detail: ""))
            default: .ok("x")
            }
        }
        #expect(try client(transport).data(request()).1 == Array("x".utf8))
        #expect(pauses.withLock { $0 } == [.milliseconds(500), .seconds(1)])
    }

    @Test func permanentFailureIsNotRetriedAndKeepsItsBody() throws {
        let transport = ScriptedTransport { _, _ in ScriptedTransport.Answer(status: 404, body: [Array("no".utf8)]) }
        let failure = #expect(throws: FetchFailure.self) { try client(transport).data(request()) }
        #expect(failure?.status == 404)
        #expect(failure?.answer?.body == Array("no".utf8))
        #expect(transport.requests.count == 1)
    }

    @Test func errorBodyIsCutAt64KiBAndIgnoresTheByteLimit() throws {
        let part = [UInt8](repeating: 7, count: 40_000)
        let transport = ScriptedTransport { _, _ in ScriptedTransport.Answer(status: 404, body: [part, part]) }
        let failure = #expect(throws: FetchFailure.self) { try client(transport).data(request(byteLimit: 10)) }
        #expect(failure?.code == "not-found")
        #expect(failure?.answer?.body.count == 65_536)
    }

    @Test func requestFailsAfterFourAttempts() throws {
        let transport = ScriptedTransport { _, _ in .status(500) }
        let failure = #expect(throws: FetchFailure.self) { try client(transport).data(request()) }
        #expect(failure?.exitCode == .temporary)
        #expect(transport.requests.count == 4)
    }

    @Test func failureReportsTheNumberOfAttempts() throws {
        let failing = ScriptedTransport { _, _ in .status(503) }
        let failure = #expect(throws: FetchFailure.self) { try client(failing).data(request()) }
        #expect(failure?.message.hasSuffix("try again later (tried 4 times)") == true)
        #expect(failure?.status == 503)
        #expect(failure?.code == "server-error")
        let refusing = ScriptedTransport { _, count in .status(count == 0 ? 503 : 404) }
        let definite = #expect(throws: FetchFailure.self) { try client(refusing).data(request()) }
        #expect(definite?.message.contains("tried") == false)
    }

    @Test(arguments: [200, 404, 503])
    func passingFaultIsRetriedOnTheScheduleOfTransientFailures(status: Int) throws {
        let transport = ScriptedTransport { _, count in
            ScriptedTransport.Answer(
                status: count < 2 ? status : 200, body: [Array((count < 2 ? "away" : "here").utf8)])
        }
        let isFault = { (answer: FetchFailure.Answer) in answer.body == Array("away".utf8) && answer.status == status }
        #expect(try client(transport).data(request(), isPassingFault: isFault).1 == Array("here".utf8))
        #expect(pauses.withLock { $0 } == [.milliseconds(500), .seconds(1)])
    }

    @Test func repeatedPassingFaultIsTransientAndKeepsTheResponse() throws {
        let transport = ScriptedTransport { _, _ in .ok("away") }
        let failure = #expect(throws: FetchFailure.self) {
            try client(transport).data(request(), isPassingFault: { _ in true })
        }
        #expect(transport.requests.count == 4)
        #expect(failure?.exitCode == .temporary)
        #expect(failure?.status == 200)
        #expect(failure?.answer?.body == Array("away".utf8))
        #expect(failure?.message.contains("gateway") == true && failure?.message.contains("tried 4 times") == true)
    }

    @Test func clientPasswordsApplyToRequestsWithoutANetrc() throws {
        let transport = ScriptedTransport { _, _ in .ok("") }
        let own = Netrc(Array("machine a login own".utf8))
        let client = HTTPClient(
            transport: transport, passwords: Netrc(Array("machine a login shared".utf8)), interruption: Interruption())
        _ = try client.data(request())
        var other = try request()
        other.netrc = own
        _ = try client.data(other)
        #expect(transport.requests.map { $0.netrc?.credentials(for: $0.url)?.user } == ["shared", "own"])
    }

    /// The client sends no request, since every router on the way could read an unencrypted secret.
    @Test func secretIsNotSentUnencryptedUnlessItsOriginWasNamed() throws {
        let transport = ScriptedTransport { _, _ in .ok("x") }
        var request = try request("http://a.example/x?token=1")
        request.cleartextOrigins = [try WebURL("http://b.example/").origin, try WebURL("https://a.example/").origin]
        let failure = #expect(throws: FetchFailure.self) { try client(transport).data(request) }
        #expect(failure?.code == "exposed-secret" && failure?.exitCode == .notAllowed && failure?.isTransient == false)
        #expect(failure?.message.contains("--header") == true)
        #expect(failure?.message.contains("http://a.example") == true)
        #expect(failure?.message.contains("\"X-Key\"") == true && failure?.message.contains("secret\"") == false)
        #expect(transport.requests.isEmpty)
        request.headers = [HTTPHeader("Accept", "image/*", survivesCrossOriginRedirect: true)]
        #expect(try client(transport).data(request).1 == Array("x".utf8))
    }

    @Test(arguments: [
        "https://a.example/", "http://127.0.0.1/", "http://127.9.9.9:8080/", "http://[::1]/", "http://localhost./",
        "http://a.localhost/",
    ])
    func secretIsSentOverTLSOrToLoopback(url: String) throws {
        let transport = ScriptedTransport { _, _ in .ok("x") }
        var request = try request(url)
        request.cleartextOrigins = []
        request.netrc = Netrc(Array("machine \(request.url.hostWithoutDot) login u password p".utf8))
        _ = try client(transport, guard: .allowingAll).data(request)
        #expect(transport.requests.map(\.credentials) == [.init(user: "u", password: "p")])
    }

    /// The guard treats these addresses as loopback, but packets to them are sent to a gateway.
    @Test(arguments: [
        "http://[2002:7f00:1::]/", "http://[64:ff9b::7f00:1]/", "http://[::127.0.0.1]/", "http://localhost.example/",
    ])
    func addressResemblingLoopbackGetsNoSecret(url: String) throws {
        let transport = ScriptedTransport { _, _ in .ok("x") }
        var request = try request(url)
        request.cleartextOrigins = []
        let failure = #expect(throws: FetchFailure.self) { try client(transport, guard: .allowingAll).data(request) }
        #expect(failure?.code == "exposed-secret")
    }

    @Test func nameThatOnlyAProxyMayLookUpIsNotJudged() throws {
        let client = HTTPClient(
            transport: ScriptedTransport { _, _ in .ok("") }, looksUp: { _ in false }, interruption: Interruption())
        #expect(try client.judgedAddresses(of: WebURL("http://localhost/")) == nil)
        #expect(try client.judgedAddresses(of: WebURL("http://8.8.8.8/"))?.count == 1)
    }

    @Test func unsentPasswordIsReportedOnce() throws {
        let lines = Monitor<[String]>([])
        let transport = ScriptedTransport { request, _ in
            request.url.scheme == .https ? .redirect("http://a.example/") : .ok("x")
        }
        let client = HTTPClient(
            transport: transport, redirects: RedirectPolicy(allowsInsecure: true),
            passwords: Netrc(Array("machine a.example login u password p".utf8)),
            log: Log(tool: "t") { line in lines.update { $0.append(line) } }, interruption: Interruption())
        for url in ["https://a.example/", "http://a.example/", "http://b.example/"] {
            _ = try client.data(HTTPRequest(url: WebURL(url)))
        }
        // In order: with TLS, after the redirect to `http`, without TLS, and for a host without an entry.
        #expect(transport.requests.map { $0.credentials?.password } == ["p", nil, nil, nil])
        let words = "the user name and password of the netrc file are not sent unencrypted; use https"
        #expect(lines.withLock { $0 } == ["t: warning: http://a.example: \(words)\n"])
        var named = HTTPRequest(url: try WebURL("http://a.example/"))
        named.cleartextOrigins = [named.url.origin]
        _ = try client.data(named)
        #expect(transport.requests.last?.credentials?.password == "p")
    }

    @Test func clientDoesNotWaitForALongRateLimit() throws {
        let transport = ScriptedTransport { _, _ in .status(429, ["Retry-After": "3600"]) }
        let failure = #expect(throws: FetchFailure.self) { try client(transport).data(request()) }
        #expect(failure?.code == "rate-limited")
        #expect(failure?.message.contains("3600 s") == true)
        #expect(transport.requests.count == 1)
    }

    @Test func retriesStayWithinTheTotalTimeout() throws {
        let transport = ScriptedTransport { _, _ in .status(429, ["Retry-After": "50"]) }
        _ = #expect(throws: FetchFailure.self) { try client(transport).data(request()) }
        #expect(pauses.withLock { $0 } == [.seconds(50), .seconds(50)])
        #expect(transport.requests.map(\.timeouts.total) == [.seconds(120), .seconds(70), .seconds(20)])
    }

    /// Deadlines once used the wall clock, so setting the clock ended a request or extended it by a day.
    @Test(arguments: [86_400_000, -86_400_000] as [Int64])
    func settingTheClockNeitherEndsNorExtendsARequest(milliseconds: Int64) throws {
        let date = Monitor(Timestamp(milliseconds: 0))
        let clock = Clock {
            date.update {
                $0 = $0 + .milliseconds(milliseconds)
                return $0
            }
        }
        let transport = ScriptedTransport { _, count in count < 2 ? .status(503) : .ok("x") }
        let client = HTTPClient(
            transport: transport, interruption: Interruption(), clock: clock, uptime: { .seconds(5) }, sleep: { _ in })
        #expect(try client.data(HTTPRequest(url: WebURL("http://a/"))).1 == Array("x".utf8))
        #expect(transport.requests.map(\.timeouts.total) == [.seconds(120), .seconds(120), .seconds(120)])
    }

    @Test func redirectsAreFollowedToTheLastURL() throws {
        let transport = ScriptedTransport { request, _ in
            switch request.url.description {
            case "http://a/": .redirect("/b")
            case "http://a/b": .redirect("http://c/d")
            default: .ok("end")
            }
        }
        let (response, _) = try client(transport).data(request())
        #expect(response.url.description == "http://c/d")
        #expect(transport.requests.map(\.headers.count) == [1, 1, 0])
    }

    @Test func droppedHeadersAreNotRestoredByARedirectToTheFirstOrigin() throws {
        let transport = ScriptedTransport { request, count in
            [.redirect("http://b/"), .redirect("http://a/"), .ok("")][count]
        }
        _ = try client(transport).data(request())
        #expect(transport.requests.map(\.headers.count) == [1, 0, 0])
    }

    @Test func redirectLoopEnds() throws {
        let transport = ScriptedTransport { _, _ in .redirect("/") }
        let failure = #expect(throws: FetchFailure.self) { try client(transport).data(request()) }
        #expect(failure?.code == "too-many-redirects")
        #expect(transport.requests.count == 11)
    }

    @Test func redirectWithAnAcceptedStatusIsNotFollowed() throws {
        let transport = ScriptedTransport { _, _ in .redirect("/") }
        #expect(try client(transport).data(request(), accepting: [302]).0.status == 302)
    }

    @Test(arguments: ["http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest", "http://0x7f000001/"])
    func redirectToABlockedAddressIsNotFollowed(target: String) throws {
        let transport = ScriptedTransport { _, _ in .redirect(target) }
        let failure = #expect(throws: FetchFailure.self) { try client(transport).data(request()) }
        #expect(failure?.code == "blocked-address")
        #expect(failure?.exitCode == .notAllowed)
        #expect(failure?.message.contains("--allow-private") == true)
        #expect(transport.requests.count == 1)
    }

    @Test func contentLengthOverTheLimitIsRefusedBeforeTheBody() throws {
        let transport = ScriptedTransport { _, _ in .status(200, ["Content-Length": "1001"]) }
        var events = 0
        let failure = #expect(throws: FetchFailure.self) {
            try client(transport).get(request()) { _ in events += 1 }
        }
        #expect(failure?.code == "too-large")
        #expect(failure?.exitCode == .notAllowed)
        #expect(events == 0)
        #expect(transport.requests.count == 1)
    }

    @Test func bodyOverTheLimitIsRefused() throws {
        let part = [UInt8](repeating: 0, count: 501)
        let transport = ScriptedTransport { _, _ in ScriptedTransport.Answer(body: [part, part]) }
        let failure = #expect(throws: FetchFailure.self) { try client(transport).data(request()) }
        #expect(failure?.code == "too-large")
    }

    @Test func limitIncludesTheBytesBeforeARange() throws {
        let transport = ScriptedTransport { _, _ in .status(206, ["Content-Length": "600"]) }
        var resumed = try request()
        resumed.rangeStart = 500
        let failure = #expect(throws: FetchFailure.self) { try client(transport).data(resumed, accepting: [200, 206]) }
        #expect(failure?.code == "too-large")
    }

    @Test func detailedLogReportsEachRetry() throws {
        let lines = Monitor<[String]>([])
        let client = HTTPClient(
            transport: ScriptedTransport { _, count in count == 0 ? .status(503) : .ok("x") },
            retries: RetrySchedule(random: { 1 }),
            log: Log(tool: "t", threshold: .detail) { line in lines.update { $0.append(line) } },
            interruption: Interruption(), sleep: { _ in })
        _ = try client.data(request())
        let words = "http://a/ answered 503: server error; try again later; attempt 2 in 500 ms"
        #expect(lines.withLock { $0 }.contains("t: \(words)\n"))
    }

    @Test func receiverErrorIsRethrownWithoutARetry() throws {
        let transport = ScriptedTransport { _, _ in .ok("x") }
        let full = SystemFailure(errno: 28, "write x")
        let failure = #expect(throws: SystemFailure.self) {
            try client(transport).get(request()) { _ in throw full }
        }
        #expect(failure == full)
        // Even a transient error ends the request.
        #expect(throws: Cancelled.self) { try client(transport).get(request()) { _ in throw Cancelled() } }
        #expect(transport.requests.count == 2)
    }

    @Test func pausesAreReportedOnlyBeforeTheHeadAndInAcceptedBodies() throws {
        let transport = ScriptedTransport { _, count in
            ScriptedTransport.Answer(status: count == 0 ? 503 : 200, body: [[1], [2]], pauses: true)
        }
        var events: [String] = []
        _ = try client(transport).get(request()) { event in
            switch event {
            case .head: events.append("head")
            case .body: events.append("body")
            case .pause: events.append("pause")
            }
        }
        #expect(events == ["pause"] + ["pause", "head", "pause", "body", "pause", "body"])
    }

    @Test func receiverCanEndATransferDuringAPause() throws {
        let transport = ScriptedTransport { _, _ in ScriptedTransport.Answer(body: [[1]], pauses: true) }
        #expect(throws: Cancelled.self) {
            try client(transport).get(request()) { if case .pause = $0 { throw Cancelled() } }
        }
        #expect(transport.requests.count == 1)
    }

    @Test func headerWithALineBreakIsNotSent() throws {
        let transport = ScriptedTransport { _, _ in .ok("x") }
        var broken = try request()
        broken.headers = [HTTPHeader("X", "a\r\nHost: b")]
        let failure = #expect(throws: FetchFailure.self) { try client(transport).data(broken) }
        #expect(failure?.exitCode == .usage)
        #expect(transport.requests.isEmpty)
    }

    @Test func cancelledRunSendsNothing() throws {
        let transport = ScriptedTransport { _, _ in .ok("x") }
        let interruption = Interruption()
        interruption.cancel(.outputClosed)
        let client = HTTPClient(transport: transport, interruption: interruption)
        #expect(throws: Cancelled.self) { try client.data(request()) }
        #expect(transport.requests.isEmpty)
    }
}
