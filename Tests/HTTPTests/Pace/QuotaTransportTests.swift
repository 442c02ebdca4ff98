import Support
import Testing

@testable import HTTP

/// A clock that advances by each sleep.
private final class SleptClock: Sendable {
    private let time = Monitor(Timestamp(milliseconds: 1_800_000_000_000))

    var clock: Clock { Clock { [time] in time.withLock { $0 } } }
    var sleep: Sleeper { { [time] span in time.withLock { $0 = $0 + span } } }
}

@Suite(.timeLimit(.minutes(2))) struct QuotaTransportTests {
    private let interruption = Interruption()
    private let time = SleptClock()
    private let ledger = MemoryQuotas()

    private func fields(_ remaining: Int, of limit: Int) -> KeyValuePairs<String, String> {
        ["X-RateLimit-Limit": "\(limit)", "X-RateLimit-Remaining": "\(remaining)"]
    }

    private func client(_ transport: ScriptedTransport, log: Log = .silent) -> HTTPClient {
        HTTPClient(
            transport: QuotaTransport(
                over: transport, ledger: { [ledger] _ in ledger }, log: log, clock: time.clock, sleep: time.sleep),
            interruption: interruption, clock: time.clock, sleep: time.sleep)
    }

    private func request(_ address: String = "https://api.example/a", key: String? = nil) throws -> HTTPRequest {
        let url = try WebURL(address)
        return HTTPRequest(
            url: url, headers: key.map { [HTTPHeader("X-Api-Key", $0)] } ?? [], cleartextOrigins: [url.origin])
    }

    @Test func usedUpQuotaFailsWithoutARequest() throws {
        let server = ScriptedTransport { [self] _, count in .status(200, fields(max(1 - count, 0), of: 2)) }
        let client = client(server)
        for _ in 0..<2 { _ = try client.data(try request()) }
        let failure = #expect(throws: FetchFailure.self) { try client.data(try request()) }
        #expect(server.requests.count == 2)
        #expect(failure?.code == "rate-limited")
        #expect(failure?.exitCode == .temporary)
        #expect(failure?.message.contains("limit 2") == true)
        #expect(failure?.retryAfter == .seconds(3600))
    }

    @Test func refusalIsSharedByAllClients() throws {
        let first = ScriptedTransport { _, _ in .status(429, ["Retry-After": "2870"]) }
        #expect(throws: FetchFailure.self) { try client(first).data(try request()) }
        #expect(first.requests.count == 1)
        let second = ScriptedTransport { _, _ in .ok("") }
        let failure = #expect(throws: FetchFailure.self) { try client(second).data(try request()) }
        #expect(second.requests.isEmpty)
        #expect(failure?.retryAfter == .seconds(2870))
    }

    @Test func clientWaitsForAShortRefusal() throws {
        let server = ScriptedTransport { _, count in count == 0 ? .status(429, ["Retry-After": "20"]) : .ok("a") }
        let begun = time.clock.now()
        // The first client waits and retries; the next client is served immediately.
        #expect(try client(server).data(try request()).1 == Array("a".utf8))
        #expect(time.clock.now() - begun == .seconds(20))
        #expect(try client(server).data(try request()).1 == Array("a".utf8))
        #expect(time.clock.now() - begun == .seconds(20))
    }

    @Test func clientWaitsForAnotherClientsRefusal() throws {
        let refusing = ScriptedTransport { _, _ in .status(429, ["Retry-After": "20"]) }
        let transport = QuotaTransport(
            over: refusing, ledger: { [ledger] _ in ledger }, clock: time.clock, sleep: time.sleep)
        _ = try transport.exchange(try request(), interruption: interruption) { _ in }
        let begun = time.clock.now()
        var pauses = 0
        let lines = Monitor<[String]>([])
        let log = Log(tool: "t", threshold: .detail) { line in lines.withLock { $0.append(line) } }
        let willing = QuotaTransport(
            over: ScriptedTransport { _, _ in .ok("a") }, ledger: { [ledger] _ in ledger }, log: log,
            clock: time.clock, sleep: time.sleep)
        _ = try willing.exchange(try request(), interruption: interruption) { event in
            if case .pause = event { pauses += 1 }
        }
        #expect(time.clock.now() - begun == .seconds(20))
        // The receiver gets a pause every `HTTPEvent.pauseLength` during the wait.
        #expect(pauses == 80)
        #expect(lines.withLock { $0 } == ["t: api.example accepts no requests for 20000 ms\n"])
    }

    @Test func requestsAreNotDelayedUntilTheQuotaIsUsedUp() throws {
        let server = ScriptedTransport { [self] _, count in .status(200, fields(99 - count, of: 100)) }
        let client = client(server)
        let begun = time.clock.now()
        for _ in 0..<100 { _ = try client.data(try request()) }
        #expect(throws: FetchFailure.self) { try client.data(try request()) }
        #expect(server.requests.count == 100)
        #expect(time.clock.now() == begun)
    }

    @Test func requestsResumeAfterTheReset() throws {
        let server = ScriptedTransport { _, _ in
            .status(200, ["X-RateLimit-Limit": "2", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "90"])
        }
        let client = client(server)
        _ = try client.data(try request())
        let failure = #expect(throws: FetchFailure.self) { try client.data(try request()) }
        #expect(failure?.retryAfter == .seconds(90))
        try time.sleep(.seconds(90))
        _ = try client.data(try request())
        #expect(server.requests.count == 2)
    }

    @Test func asksAnywayDiscardsOnlyEarlierRefusals() throws {
        let refused = QuotaTransport.name(of: try request())
        let until = time.clock.now() + .seconds(3600)
        func transport(_ server: ScriptedTransport) -> QuotaTransport {
            QuotaTransport(
                over: server, ledger: { [ledger] _ in ledger }, asksAnyway: true, clock: time.clock, sleep: time.sleep)
        }
        func ask(_ transport: QuotaTransport) throws {
            _ = try transport.exchange(try request(), interruption: interruption) { _ in }
        }
        ledger.keep(QuotaRefusal(until: until), of: refused)
        try ask(transport(ScriptedTransport { _, _ in .ok("") }))
        #expect(ledger.refusal(of: refused) == nil)

        ledger.keep(QuotaRefusal(until: until), of: refused)
        let server = ScriptedTransport { _, _ in .status(429, ["Retry-After": "100"]) }
        let refusing = transport(server)
        try ask(refusing)
        #expect(throws: FetchFailure.self) { try ask(refusing) }
        #expect(server.requests.count == 1)
        #expect(ledger.refusal(of: refused) == QuotaRefusal(until: time.clock.now() + .seconds(100)))
    }

    @Test func quotasAreSeparateByOriginAndKey() throws {
        let server = ScriptedTransport { _, _ in .status(429, ["Retry-After": "2870"]) }
        let client = client(server)
        for key in ["a", "b"] {
            for address in ["https://api.example/a", "https://other.example/a", "http://api.example/a"] {
                #expect(throws: FetchFailure.self) { try client.data(try request(address, key: key)) }
            }
        }
        #expect(server.requests.count == 6)
        #expect(throws: FetchFailure.self) { try client.data(try request("https://api.example/b?c", key: "a")) }
        #expect(server.requests.count == 6)
    }

    @Test func quotaNameContainsNoKey() throws {
        let name = QuotaTransport.name(of: try request(key: "sesame"))
        #expect(name.utf8.count == 64)
        #expect(name.allSatisfy { $0.isHexDigit })
    }

    @Test func fieldsThatCrossOriginsDoNotChangeTheQuotaName() throws {
        var other = try request(key: "a")
        other.headers.insert(HTTPHeader("Accept", "application/json", survivesCrossOriginRedirect: true), at: 0)
        #expect(QuotaTransport.name(of: other) == QuotaTransport.name(of: try request(key: "a")))
    }

    @Test func refusalIsKeptIfTheTransferFails() throws {
        let server = ScriptedTransport { _, _ in
            var answer = ScriptedTransport.Answer.status(429, ["Retry-After": "100"])
            answer.error = .cutShort(url: try! WebURL("https://api.example/a"), detail: "")
            return answer
        }
        let transport = QuotaTransport(
            over: server, ledger: { [ledger] _ in ledger }, clock: time.clock, sleep: time.sleep)
        #expect(throws: FetchFailure.self) {
            try transport.exchange(try request(), interruption: interruption) { _ in }
        }
        let failure = #expect(throws: FetchFailure.self) {
            try transport.exchange(try request(), interruption: interruption) { _ in }
        }
        #expect(failure?.code == "rate-limited")
    }

    @Test func cancellationEndsTheWait() throws {
        let refusing = ScriptedTransport { _, _ in .status(429, ["Retry-After": "50"]) }
        let transport = QuotaTransport(over: refusing, ledger: { [ledger] _ in ledger })
        let interruption = interruption
        _ = try transport.exchange(try request(), interruption: interruption) { _ in }
        #expect(throws: Cancelled.self) {
            try transport.exchange(try request(), interruption: interruption) { _ in
                interruption.cancel(.outputClosed)
            }
        }
        #expect(refusing.requests.count == 1)
    }

    @Test func detailedLogShowsTheRemainingQuota() throws {
        let lines = Monitor<[String]>([])
        let log = Log(tool: "t", threshold: .detail) { line in lines.withLock { $0.append(line) } }
        let server = ScriptedTransport { [self] _, count in .status(200, fields(20 - count, of: 1000)) }
        let client = client(server, log: log)
        for _ in 0..<2 { _ = try client.data(try request(key: "sesame")) }
        let said = lines.withLock { $0.joined(separator: "\n") }
        #expect(said.contains("api.example: 20 of 1000 requests left"))
        #expect(said.contains("api.example: 19 of 1000 requests left"))
        #expect(!said.contains("sesame"))
    }
}
