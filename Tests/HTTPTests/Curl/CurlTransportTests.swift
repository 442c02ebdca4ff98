import Support
import TestSupport
import Testing

@testable import HTTP

/// Real exchanges with a server in this process.
@Suite(.timeLimit(.minutes(2))) struct CurlTransportTests {
    private let interruption = Interruption()

    private func client(
        guard guarding: AddressGuard = .allowingAll, environment: [String: String] = [:],
        retries: RetrySchedule = RetrySchedule(retries: 0)
    ) -> HTTPClient {
        HTTPClient(
            transport: CurlTransport(guard: guarding, environment: Environment(environment)), guard: guarding,
            retries: retries,
            interruption: interruption, sleep: { _ in })
    }

    private func request(_ url: String) throws -> HTTPRequest { HTTPRequest(url: try WebURL(url)) }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func failure(_ body: () throws -> Void) -> (any Failure)? {
        do {
            try body()
            return nil
        } catch {
            return Support.failure(of: error)
        }
    }

    @Test func bodyAndHeadersArrive() throws {
        let server = try LoopbackServer { _, peer in peer.respond(200, ["ETag: \"a\"", "X: 1", "x: 2"], "hello") }
        let (response, bytes) = try client().data(request(server.url("/a%20b?c=d#e")))
        #expect(text(bytes) == "hello")
        #expect(response.status == 200)
        #expect(response.headers["etag"] == "\"a\"")
        #expect(response.headers["X"] == "1, 2")
        #expect(server.requests.map(\.target) == ["/a%20b?c=d"])
        #expect(server.requests.first?.headers["user-agent"] == "apod-tools/\(toolsVersion)")
        #expect(server.requests.first?.headers["cookie"] == nil)
    }

    @Test func chunkedBodyIsAssembled() throws {
        let server = try LoopbackServer { _, peer in
            peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a=b\r\n\r\n")
            for part in ["hel", "lo"] { peer.send("\(part.utf8.count)\r\n\(part)\r\n") }
            peer.send("0\r\nLate: x\r\n\r\n")
        }
        let client = client()
        #expect(text(try client.data(request(server.url())).1) == "hello")
        #expect(text(try client.data(request(server.url())).1) == "hello")
        #expect(server.requests.last?.headers["cookie"] == nil)
    }

    @Test func compressedBodyArrivesDecompressed() throws {
        let packed = "1f8b0800000000000203cb48cdc9c9d75148cecf2d284a2d2e4e4d5128cf2fca490100089e343517000000"
        let server = try LoopbackServer { _, peer in
            let bytes = Self.bytes(hex: packed)
            peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n")
            peer.send(bytes)
        }
        #expect(text(try client().data(request(server.url())).1) == "hello, compressed world")
        #expect(server.requests.first?.headers["accept-encoding"]?.contains("gzip") == true)
    }

    @Test func compressionIsRequestedOnlyIfAccepted() throws {
        let server = try LoopbackServer { _, peer in peer.respond() }
        var plain = try request(server.url())
        plain.acceptsCompression = false
        var rest = try request(server.url())
        rest.rangeStart = 100
        _ = try client().data(plain)
        _ = try client().data(rest)
        #expect(server.requests.map { $0.headers["accept-encoding"] } == ["identity", "identity"])
        #expect(server.requests.map { $0.headers["range"] } == [nil, "bytes=100-"])
    }

    @Test func decompressedBytesCountAgainstTheLimit() throws {
        // 200,000 zeros in 229 bytes.
        let packed =
            "1f8b0800000000000203edc13101000000c2a0f54f6d067fa0"
            + String(repeating: "00", count: 193) + "80d7007b58e05c400d0300"
        let server = try LoopbackServer { _, peer in
            let bytes = Self.bytes(hex: packed)
            peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n")
            peer.send(bytes)
        }
        var limited = try request(server.url())
        limited.byteLimit = 200_000
        #expect(try client().data(limited).1.count == 200_000)
        limited.byteLimit = 199_999
        #expect(failure { _ = try client().data(limited) }?.code == "too-large")
    }

    @Test func bodyWithoutALengthCountsAgainstTheLimit() throws {
        let server = try LoopbackServer { _, peer in
            peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            peer.send([UInt8](repeating: 1, count: 5000))
            peer.close()
        }
        var limited = try request(server.url())
        #expect(try client().data(limited).1.count == 5000)
        limited.byteLimit = 4999
        #expect(failure { _ = try client().data(limited) }?.code == "too-large")
    }

    @Test func contentLengthOverTheLimitEndsTheTransferBeforeTheBody() throws {
        let server = try LoopbackServer { _, peer in
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 300000000\r\n\r\n")
            peer.waitForTheEnd()
        }
        #expect(failure { _ = try client().data(request(server.url())) }?.code == "too-large")
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    ])
    func brokenConnectionIsATransientFailure(answer: String) throws {
        let server = try LoopbackServer { _, peer in
            peer.send(answer)
            peer.close()
        }
        let failure = failure { _ = try client().data(request(server.url())) }
        #expect(failure?.code == "cut-short")
        #expect(failure?.isTransient == true)
    }

    @Test func truncatedBodyIsFetchedAgainFromTheStart() throws {
        let server = try LoopbackServer { request, peer in
            guard request.connection == 1 else { return peer.respond(200, [], "whole") }
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwh")
            peer.close()
        }
        #expect(text(try client(retries: RetrySchedule()).data(request(server.url())).1) == "whole")
    }

    @Test(arguments: [("not http at all\r\n\r\n", "bad-answer"), ("", "connection-failed")])
    func invalidResponseIsATransientFailure(answer: String, code: String) throws {
        let server = try LoopbackServer { _, peer in
            peer.send(answer)
            peer.close()
        }
        let failure = failure { _ = try client().data(request(server.url())) }
        #expect(failure?.code == code)
        #expect(failure?.exitCode == .temporary)
    }

    /// An earlier version exited with status 70.
    @Test(arguments: ["X: ", "", "HTTP/1.1 200 ", "X"])
    func endlessHeaderLineIsABadAnswer(beginning: String) throws {
        let server = try LoopbackServer { _, peer in
            if !beginning.hasPrefix("HTTP") { peer.send("HTTP/1.1 200 OK\r\n") }
            peer.send(beginning)
            _ = peer.sendUntilFull([UInt8](repeating: 0x61, count: 64 << 10), limit: .seconds(20))
        }
        let failure = failure { _ = try client().data(request(server.url())) }
        #expect(failure?.code == "bad-answer" && failure?.exitCode == .temporary, "\(String(describing: failure))")
    }

    @Test(arguments: [
        ("HTTP/1.1 101 Switching Protocols\r\n\r\nhello", "no final status"),
        (
            "HTTP/1.1 200 OK\r\n" + String(repeating: "X: \(String(repeating: "a", count: 7996))\r\n", count: 38),
            "its header is larger than 300 kB"
        ),
    ])
    func unusableHeadIsABadAnswer(head: String, fault: String) throws {
        let server = try LoopbackServer { _, peer in
            peer.send(head)
            peer.close()
        }
        #expect(
            message { _ = try client().data(request(server.url())) }
                == "75 \(server.url()) sent an invalid response: \(fault); try again later")
    }

    /// libcurl refuses texts of more than 8 MB.
    @Test func optionThatLibcurlRejectsIsAFault() throws {
        let transport = CurlTransport(
            guard: .allowingAll, environment: [:], certificateFile: String(repeating: "a", count: 8_000_001))
        let url = "http://127.0.0.1:1/"
        #expect(
            message { _ = try transport.exchange(request(url), interruption: interruption) { _ in } }
                == "70 libcurl could not fetch \(url): it rejected option 10065")
    }

    @Test func onlyLocalErrorsOfLibcurlAreInternalFaults() throws {
        let url = try WebURL("https://example.org/")
        let own: Set = [2, 3, 4, 26, 41, 42, 43, 45, 48, 53, 54, 66, 93, 99]
        for code in 1...120 {
            for hasHead in [false, true] {
                let failure = CurlExchange.failure(of: code, url: url, detail: "d", hasHead: hasHead)
                #expect((failure.exitCode == .software) == own.contains(code), "\(code)")
                #expect(!failure.message.isEmpty)
            }
        }
    }

    @Test(arguments: [
        (100, true, "a header field exceeds libcurl's limit"),
        (27, false, "a header field exceeds libcurl's limit, or there is not enough memory"),
        (27, true, "out of memory"),
    ])
    func limitOfLibcurlIsABadAnswer(code: Int, hasHead: Bool, words: String) throws {
        let failure = CurlExchange.failure(
            of: code, url: try WebURL("https://h/a"), detail: "", hasHead: hasHead)
        #expect(
            summary(failure) == "75 bad-answer: https://h/a sent an invalid response: \(words); try again later")
    }

    @Test func refusedConnectionIsTransient() throws {
        let port = try LoopbackServer { _, _ in }.port
        let failure = failure { _ = try client().data(request("http://127.0.0.1:\(port)/")) }
        #expect(failure?.code == "connection-failed")
        #expect(failure?.exitCode == .temporary)
    }

    @Test func responsesWithoutABodyComplete() throws {
        let server = try LoopbackServer { request, peer in
            request.target == "/none" ? peer.send("HTTP/1.1 304 X\r\nETag: a\r\n\r\n") : peer.respond()
        }
        #expect(try client().data(request(server.url())).1.isEmpty)
        #expect(try client().data(request(server.url("/none")), accepting: [200, 304]).0.status == 304)
    }

    @Test func connectionIsReusedForManyRequests() throws {
        let server = try LoopbackServer { request, peer in
            request.target == "/gone" ? peer.respond(404, [], "no") : peer.respond(200, [], "yes")
        }
        let client = client()
        for _ in 0..<5 {
            _ = try client.data(request(server.url()))
            _ = failure { _ = try client.data(request(server.url("/gone"))) }
        }
        #expect(server.requests.count == 10)
        #expect(server.accepted == 1)
    }

    @Test func requestsFromSeveralThreadsSucceed() throws {
        let server = try LoopbackServer { request, peer in peer.respond(200, [], request.target) }
        let client = client()
        let results = Monitor<Set<String>>([])
        let threads = try (0..<8).map { number in
            let target = server.url("/\(number)")
            return try Thread.start {
                guard let url = try? WebURL(target), let (_, bytes) = try? client.data(HTTPRequest(url: url))
                else { return }
                results.update { _ = $0.insert(String(decoding: bytes, as: UTF8.self)) }
            }
        }
        for thread in threads { thread.join() }
        #expect(results.withLock { $0 } == Set((0..<8).map { "/\($0)" }))
    }

    @Test func requestHeadersAreSentUnchanged() throws {
        let server = try LoopbackServer { _, peer in peer.respond() }
        var own = try request("http://user:p%40ss@127.0.0.1:\(server.port)/")
        own.headers = [HTTPHeader("X-Key", "a: b"), HTTPHeader("X-Empty", ""), HTTPHeader("User-Agent", "mine")]
        _ = try client().data(own)
        let headers = try #require(server.requests.first?.headers)
        #expect(headers["x-key"] == "a: b")
        #expect(headers["x-empty"] == "")
        #expect(headers["user-agent"] == "mine")
        #expect(headers["authorization"] == "Basic dXNlcjpwQHNz")
    }

    @Test func optionsOfARequestDoNotAffectTheNextRequest() throws {
        let server = try LoopbackServer { _, peer in peer.respond() }
        let client = client()
        var first = try request("http://u:p@127.0.0.1:\(server.port)/")
        first.headers = [HTTPHeader("X-Key", "k")]
        first.rangeStart = 5
        _ = try client.data(first)
        _ = try client.data(request(server.url()))
        let headers = try #require(server.requests.last?.headers)
        #expect(headers["authorization"] == nil && headers["x-key"] == nil && headers["range"] == nil)
    }

    @Test func secretsAreNotSentToAnotherOrigin() throws {
        let other = try LoopbackServer { _, peer in peer.respond(200, [], "there") }
        let target = other.url("/b")
        let server = try LoopbackServer { request, peer in
            request.target == "/start" ? peer.redirect("/middle") : peer.redirect(target)
        }
        var own = try request("http://u:p@127.0.0.1:\(server.port)/start")
        own.headers = [
            HTTPHeader("X-Key", "k"), HTTPHeader("Cookie", "c"),
            HTTPHeader("Accept", "image/*", survivesCrossOriginRedirect: true),
        ]
        let (response, bytes) = try client().data(own)
        #expect(text(bytes) == "there")
        #expect(response.url.description == target)
        #expect(server.requests.allSatisfy { $0.headers["authorization"] != nil && $0.headers["x-key"] == "k" })
        let headers = try #require(other.requests.first?.headers)
        #expect(headers["authorization"] == nil && headers["x-key"] == nil && headers["cookie"] == nil)
        #expect(headers["accept"] == "image/*")
    }

    @Test func netrcPasswordsReachOnlyTheirHost() throws {
        let server = try LoopbackServer { request, peer in
            let port = request.headers["host"]?.split(separator: ":").last ?? ""
            request.target == "/start" ? peer.redirect("http://localhost:\(port)/end") : peer.respond()
        }
        var own = try request(server.url("/start"))
        own.netrc = Netrc(Array("machine 127.0.0.1 login u password p@ss".utf8))
        _ = try client().data(own)
        #expect(server.requests.map { $0.headers["authorization"] } == ["Basic dTpwQHNz", nil])
        own.netrc = Netrc(Array("machine localhost login u password p@ss".utf8))
        _ = try client().data(own)
        #expect(server.requests.suffix(2).map { $0.headers["authorization"] } == [nil, "Basic dTpwQHNz"])
    }

    @Test func receiverErrorEndsOnlyItsTransfer() throws {
        let server = try LoopbackServer { request, peer in
            if request.target == "/ok" { return peer.respond(200, [], "ok") }
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            peer.send([UInt8](repeating: 0, count: 1000))
            peer.waitForTheEnd()
        }
        let client = client()
        #expect(throws: SystemFailure.self) {
            try client.get(request(server.url())) { event in
                if case .body = event { throw SystemFailure(errno: 28, "write x") }
            }
        }
        #expect(text(try client.data(request(server.url("/ok"))).1) == "ok")
    }

    @Test(arguments: [false, true])
    func cancellationEndsAWaitingTransfer(afterTheHead: Bool) throws {
        let server = try LoopbackServer { _, peer in
            if afterTheHead { peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc") }
            peer.waitForTheEnd()
        }
        let interruption = interruption
        let thread = try Thread.start {
            server.waitForRequests(1)
            interruption.cancel(.outputClosed)
        }
        // A transfer that was not cancelled would end with a timeout.
        #expect(throws: Cancelled.self) { try client().data(request(server.url())) }
        thread.join()
    }

    /// The server continues only after the receiver has received pauses.
    @Test func pausesAreReportedBeforeTheHeadAndWithinTheBody() throws {
        let pauses = Monitor(0)
        let server = try LoopbackServer { _, peer in
            _ = pauses.wait(atMost: .seconds(30)) { $0 >= 2 ? true : nil }
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
            _ = pauses.wait(atMost: .seconds(30)) { $0 >= 4 ? true : nil }
            peer.send("def")
        }
        var events: [String] = []
        _ = try client().get(request(server.url())) { event in
            switch event {
            case .head: events.append("head")
            case .body(let bytes): events.append(text([UInt8](bytes)))
            case .pause:
                if events.last != "pause" { events.append("pause") }
                pauses.update { $0 += 1 }
            }
        }
        #expect(events == ["pause", "head", "abc", "pause", "def"])
    }

    @Test func receiverCanEndAStalledTransfer() throws {
        let server = try LoopbackServer { request, peer in
            if request.target == "/ok" { return peer.respond(200, [], "ok") }
            peer.waitForTheEnd()
        }
        let client = client()
        #expect(throws: SystemFailure.self) {
            try client.get(request(server.url())) { event in
                if case .pause = event { throw SystemFailure(errno: 28, "write x") }
            }
        }
        #expect(text(try client.data(request(server.url("/ok"))).1) == "ok")
    }

    @Test func silentServerCausesATimeout() throws {
        let server = try LoopbackServer { _, peer in peer.waitForTheEnd() }
        var short = try request(server.url())
        short.timeouts.total = .milliseconds(50)
        let failure = failure { _ = try client().data(short) }
        #expect(failure?.code == "timed-out")
        #expect(failure?.isTransient == true)
    }

    private static func bytes(hex: String) -> [UInt8] {
        let digits = Array(hex.utf8).compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
