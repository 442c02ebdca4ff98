import Support
import Testing

@testable import HTTP

@Suite struct TokenBucketTests {
    @Test func averageEqualsTheRate() {
        var bucket = TokenBucket(bytesPerSecond: 1000, now: .zero)
        var now = Duration.zero
        // A caller that waits for the duration returned by `take` gets 1000 bytes per second.
        for _ in 0..<100 { now += bucket.take(250, now: now) }
        #expect(now == .seconds(25))
    }

    @Test func callersOfASharedBucketWait() {
        var bucket = TokenBucket(bytesPerSecond: 1000, now: .zero)
        #expect(bucket.take(500, now: .zero) == .milliseconds(500))
        #expect(bucket.take(500, now: .zero) == .seconds(1))
        #expect(bucket.take(500, now: .milliseconds(900)) == .milliseconds(600))
    }

    @Test func idleBucketAllowsOneBurst() {
        var bucket = TokenBucket(bytesPerSecond: 1000, now: .zero)
        #expect(bucket.take(250, now: .seconds(3600)) == .zero)
        #expect(bucket.take(250, now: .seconds(3600)) == .milliseconds(250))
    }
}

@Suite(.timeLimit(.minutes(2))) struct PaceTests {
    private let interruption = Interruption()

    @Test func rateLimitSlowsTheBody() throws {
        let part = [UInt8](repeating: 1, count: 40)
        let transport = ScriptedTransport { _, _ in .init(body: [part, part, part, part, part]) }
        let client = HTTPClient(transport: transport, rate: RateLimit(bytesPerSecond: 1000), interruption: interruption)
        let start = ContinuousClock.now
        #expect(try client.data(HTTPRequest(url: WebURL("http://a/"))).1.count == 200)
        #expect(ContinuousClock.now - start >= .milliseconds(190))
    }

    @Test func cancellationEndsTheRateWait() throws {
        let transport = ScriptedTransport { _, _ in .init(body: [[UInt8](repeating: 1, count: 1_000_000)]) }
        let interruption = interruption
        let client = HTTPClient(transport: transport, rate: RateLimit(bytesPerSecond: 1), interruption: interruption)
        #expect(throws: Cancelled.self) {
            try client.get(HTTPRequest(url: WebURL("http://a/"))) { event in
                if case .body = event { interruption.cancel(.outputClosed) }
            }
        }
    }

    @Test func watchIsCalledDuringRateWaits() throws {
        struct Stale: Error {}
        let transport = ScriptedTransport { _, _ in .init(body: [[UInt8](repeating: 1, count: 1_000_000)]) }
        let slept = Monitor(Duration.zero)
        let client = HTTPClient(
            transport: transport, rate: RateLimit(bytesPerSecond: 1), interruption: interruption,
            sleep: { span in slept.withLock { $0 += span } }
        ).watched { if slept.withLock({ $0 }) >= .seconds(1) { throw Stale() } }

        #expect(throws: Stale.self) { try client.get(HTTPRequest(url: WebURL("http://a/"))) { _ in } }

        #expect(slept.withLock { $0 } < .seconds(2))
    }

    /// The current and the highest number of concurrent requests per host, and the number of all served requests.
    private struct Load {
        var active: [String: Int] = [:]
        var peak: [String: Int] = [:]
        var served = 0
    }

    @Test func limitAppliesToEachHostSeparately() throws {
        let load = Monitor(Load())
        let server = try LoopbackServer { request, peer in
            let host = String(request.headers["host"]?.prefix { $0 != ":" } ?? "")
            load.update {
                $0.active[host, default: 0] += 1
                $0.peak[host] = max($0.peak[host] ?? 0, $0.active[host] ?? 0)
            }
            // Holds requests until both hosts have reached the limit.
            load.wait { $0.peak.count == 2 && $0.peak.values.allSatisfy { $0 >= 3 } ? () : nil }
            load.update {
                $0.active[host, default: 0] -= 1
                $0.served += 1
            }
            peer.respond(request.target == "/gone" ? 404 : 200)
        }
        let client = HTTPClient(
            transport: CurlTransport(guard: .allowingAll, environment: [:]), guard: .allowingAll,
            retries: RetrySchedule(retries: 0),
            hosts: HostLimit(3), interruption: interruption)
        let threads = try (0..<16).map { number in
            let host = number % 2 == 0 ? "127.0.0.1" : "localhost"
            let url = try WebURL(server.url(number % 4 == 0 ? "/gone" : "/", host: host))
            return try Thread.start { _ = try? client.data(HTTPRequest(url: url)) }
        }
        for thread in threads { thread.join() }
        #expect(load.withLock { $0.peak } == ["127.0.0.1": 3, "localhost": 3])
        #expect(load.withLock { $0.served } == 16)
    }

    @Test func requestsAreServedInOrder() throws {
        let queues = Monitor(HostQueues(limit: 1))
        #expect(queues.begin(queues.join("a"), at: "a"))
        let numbers = (0..<5).map { _ in queues.join("a") }
        for (place, number) in numbers.enumerated() {
            #expect(numbers.allSatisfy { !queues.begin($0, at: "a") })
            queues.leave("a")
            #expect(numbers[(place + 1)...].allSatisfy { !queues.begin($0, at: "a") })
            #expect(queues.begin(number, at: "a"))
        }
        queues.leave("a")
        #expect(queues.withLock { $0.hosts.isEmpty })
    }

    @Test func laterRequestsDoNotOvertakeWaitingRequests() {
        let queues = Monitor(HostQueues(limit: 2))
        for _ in 0..<2 { #expect(queues.begin(queues.join("a"), at: "a")) }
        let first = queues.join("a")
        queues.leave("a")
        #expect(!queues.begin(queues.join("a"), at: "a"))
        #expect(queues.begin(first, at: "a"))
    }

    @Test func cancelledRequestLeavesTheQueue() {
        let queues = Monitor(HostQueues(limit: 1))
        #expect(queues.begin(queues.join("a"), at: "a"))
        let numbers = (0..<2).map { _ in queues.join("a") }
        queues.giveUp(numbers[0], at: "a")
        queues.leave("a")
        #expect(queues.begin(numbers[1], at: "a"))
        queues.leave("a")
        #expect(queues.withLock { $0.hosts.isEmpty })
    }

    @Test func cancelledAndFailedRequestsFreeTheirPlace() throws {
        let limit = HostLimit(1)
        let url = try WebURL("http://a/")
        let stopped = Interruption()
        try limit.withRoom(at: url, interruption: interruption) {
            let thread = try Thread.start {
                _ = try? limit.withRoom(at: url, interruption: stopped) { Issue.record("the cancelled request ran") }
            }
            stopped.cancel(.outputClosed)
            thread.join()
        }
        struct Broken: Error {}
        #expect(throws: Broken.self) { try limit.withRoom(at: url, interruption: interruption) { throw Broken() } }
        try limit.withRoom(at: url, interruption: interruption) {}
    }

    @Test func waitForTheHostLimitExtendsTheDeadline() throws {
        let limit = HostLimit(1)
        let url = try WebURL("http://a/")
        let now = Monitor(Duration.zero)
        let looks = Monitor(0)
        let transport = ScriptedTransport { _, _ in .ok("x") }
        let client = HTTPClient(
            transport: transport, hosts: limit, interruption: interruption,
            uptime: {
                defer { looks.update { $0 += 1 } }
                return now.withLock { $0 }
            })
        let thread = try limit.withRoom(at: url, interruption: interruption) {
            let thread = try Thread.start { _ = try? client.data(HTTPRequest(url: url)) }
            // The client reads the clock for the deadline, and again before it waits.
            looks.wait { $0 == 2 ? () : nil }
            now.update { $0 = .seconds(3600) }
            return thread
        }
        thread.join()
        #expect(transport.requests.map(\.timeouts.total) == [.seconds(120)])
    }
}

/// `#expect` cannot call mutating methods.
extension Monitor<HostQueues> {
    fileprivate func join(_ host: String) -> Int { withLock { $0.join(host) } }
    fileprivate func begin(_ number: Int, at host: String) -> Bool { withLock { $0.begin(number, at: host) } }
    fileprivate func giveUp(_ number: Int, at host: String) { withLock { $0.giveUp(number, at: host) } }
    fileprivate func leave(_ host: String) { withLock { $0.leave(host) } }
}
