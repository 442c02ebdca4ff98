import Support
import Testing

@testable import HTTP

/// Connections are reused, and a slow receiver slows the server down.
@Suite(.timeLimit(.minutes(2))) struct ConnectionTests {
    private func client() -> HTTPClient {
        HTTPClient(
            transport: CurlTransport(guard: .allowingAll, environment: [:]), guard: .allowingAll,
            retries: RetrySchedule(retries: 0),
            interruption: Interruption())
    }

    @Test func sequentialRequestsUseOneConnectionPerServer() throws {
        let second = try LoopbackServer { _, peer in peer.respond(200, [], "there") }
        let target = second.url("/end")
        let first = try LoopbackServer { request, peer in
            request.target == "/start" ? peer.redirect("/middle") : peer.redirect(target)
        }
        let client = client()
        for _ in 0..<20 { _ = try client.data(HTTPRequest(url: WebURL(first.url("/start")))) }
        #expect(first.requests.count == 40 && second.requests.count == 20)
        #expect(first.accepted == 1)
        #expect(second.accepted == 1)
    }

    @Test func connectionsDoNotExceedThreads() throws {
        let server = try LoopbackServer { request, peer in
            request.target == "/a" ? peer.redirect("/b") : peer.respond(200, [], "yes")
        }
        let client = client()
        let url = try WebURL(server.url("/a"))
        let threads = try (0..<4).map { _ in
            try Thread.start { for _ in 0..<5 { _ = try? client.data(HTTPRequest(url: url)) } }
        }
        for thread in threads { thread.join() }
        #expect(server.requests.count == 40)
        #expect(server.accepted <= 4)
    }

    @Test func slowReceiverSlowsAFastServerDown() throws {
        let sent = Monitor<Int?>(nil)
        let server = try LoopbackServer { _, peer in
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
            let count = peer.sendUntilFull([UInt8](repeating: 7, count: 65_536), limit: .milliseconds(300))
            sent.update { $0 = count }
            peer.waitForTheEnd()
        }
        struct Enough: Error {}
        var request = HTTPRequest(url: try WebURL(server.url()))
        request.byteLimit = 1_000_000_000
        var received = 0
        #expect(throws: Enough.self) {
            try client().get(request) { event in
                guard case .body(let bytes) = event else { return }
                received += bytes.count
                _ = sent.wait(atMost: .seconds(60)) { $0 }
                throw Enough()
            }
        }
        // The socket buffers of both sides and the transport's buffer are smaller than this in total.
        #expect(try #require(sent.withLock { $0 }) < 32_000_000)
        #expect(received <= 1 << 20)
    }
}
