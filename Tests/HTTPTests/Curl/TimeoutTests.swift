import Libc
import Support
import Testing

@testable import HTTP

/// The stage of a request in which a server keeps the client waiting.
private enum Slowness: String, Sendable, CaseIterable {
    /// Accepts no connection.
    case connection
    /// Accepts the connection, but never begins TLS.
    case encryption
    /// A proxy that does not answer.
    case tunnel
    case head
    case body
    /// Sends the body slowly, byte by byte.
    case drip
}

/// Timeouts, and cancellation before they expire.
@Suite(.timeLimit(.minutes(2))) struct TimeoutTests {
    /// A slow server, with the URL and environment to reach it.
    private final class Slow: Sendable {
        private let full: FullBacklog?
        private let server: LoopbackServer?
        let url: String
        let environment: [String: String]

        init(_ slowness: Slowness) throws {
            if slowness == .connection {
                let full = try FullBacklog()
                (self.full, server, url, environment) = (full, nil, "http://127.0.0.1:\(full.port)/", [:])
                return
            }
            let server = try LoopbackServer { _, peer in
                if slowness == .body || slowness == .drip {
                    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc")
                }
                if slowness == .drip { return peer.drip(every: .milliseconds(50)) }
                peer.waitForTheEnd()
            }
            (full, self.server) = (nil, server)
            switch slowness {
            case .encryption: (url, environment) = ("https://127.0.0.1:\(server.port)/", [:])
            case .tunnel: (url, environment) = ("https://8.8.8.8/", ["https_proxy": server.url("")])
            default: (url, environment) = (server.url(), [:])
            }
        }
    }

    private func ask(
        _ slow: Slow, _ timeouts: HTTPRequest.Timeouts, _ interruption: Interruption = Interruption(),
        receive: (HTTPEvent) throws -> Void = { _ in }
    ) throws {
        let request = HTTPRequest(url: try WebURL(slow.url), timeouts: timeouts)
        let transport = CurlTransport(guard: .allowingAll, environment: Environment(slow.environment))
        _ = try transport.exchange(request, interruption: interruption, receive: receive)
    }

    /// Each timeout ends a request that is too slow, and the message names the stage that the request reached.
    @Test(arguments: [
        (Slowness.connection, "connect", "no connection"), (.encryption, "connect", "no connection"),
        (.tunnel, "connect", "no connection"), (.head, "stall", "no bytes received"),
        (.body, "stall", "no bytes received"), (.drip, "total", "incomplete response"),
        (.body, "total", "incomplete response"),
    ])
    fileprivate func timeoutEndsItsStage(slowness: Slowness, limit: String, words: String) throws {
        let slow = try Slow(slowness)
        var timeouts = HTTPRequest.Timeouts()
        switch limit {
        case "connect": timeouts.connect = .milliseconds(200)
        case "stall": timeouts.stall = .seconds(1)
        default: timeouts.total = .milliseconds(400)
        }
        let failure = #expect(throws: FetchFailure.self) { try ask(slow, timeouts) }
        #expect(failure?.code == "timed-out")
        #expect(failure?.exitCode == .temporary)
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
    }

    @Test func slowBodyIsNotAStall() throws {
        let slow = try Slow(.drip)
        struct Enough: Error {}
        let start = ContinuousClock.now
        #expect(throws: Enough.self) {
            try ask(slow, HTTPRequest.Timeouts(stall: .seconds(1))) { event in
                if case .body = event, ContinuousClock.now - start > .milliseconds(2200) { throw Enough() }
            }
        }
    }

    /// Cancels at the first `pause` event, when the request certainly waits for the server.
    @Test(arguments: Slowness.allCases.filter { $0 != .drip })
    fileprivate func cancellationEndsEveryStage(slowness: Slowness) throws {
        let slow = try Slow(slowness)
        let interruption = Interruption()
        #expect(throws: Cancelled.self) {
            try ask(slow, HTTPRequest.Timeouts(), interruption) { event in
                if case .pause = event { interruption.cancel(.outputClosed) }
            }
        }
    }

    @Test func cancellationEndsTheDelayBeforeARetry() throws {
        let interruption = Interruption()
        let server = ScriptedTransport { _, _ in .status(429, ["Retry-After": "50"]) }
        // The log line precedes the delay.
        let log = Log(tool: "t", threshold: .detail) { line in
            if line.contains("attempt 2 in") { interruption.cancel(.outputClosed) }
        }
        let client = HTTPClient(transport: server, log: log, interruption: interruption)
        #expect(throws: Cancelled.self) { try client.data(HTTPRequest(url: WebURL("http://a/"))) }
        #expect(server.requests.count == 1)
    }
}

/// A port of 127.0.0.1 that accepts no further connection, because its backlog is full.
private final class FullBacklog: Sendable {
    let port: Int
    private let descriptors: [Int32]

    init() throws {
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, stream, 0)
        var descriptors = [listener]
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name -> Int32 in
                guard bind(listener, name, size) == 0, listen(listener, 0) == 0, getsockname(listener, name, &size) == 0
                else { return -1 }
                // Fills the backlog, whose size depends on the system.
                for _ in 0..<8 {
                    let client = socket(AF_INET, stream, 0)
                    _ = fcntl(client, F_SETFL, O_NONBLOCK)
                    _ = connect(client, name, size)
                    descriptors.append(client)
                }
                return 0
            }
        }
        self.descriptors = descriptors
        port = Int(UInt16(bigEndian: name.sin_port))
        guard status == 0 else { throw SystemFailure(errno: errno, "listen on 127.0.0.1") }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
