import Libc
import Support
import TestSupport

/// A server on 127.0.0.1 that calls a function for each request, and records requests and connections.
final class LoopbackServer: Sendable {
    struct Request: Sendable {
        let method: String
        let target: String
        /// Keyed by lower-case name.
        let headers: [String: String]
        /// The number of the connection, counted from 1.
        let connection: Int
        let body: [UInt8]
    }

    /// A connected client, as the server sees it. Sending to a client that has disconnected is not an error.
    struct Peer {
        fileprivate let connection: LoopbackConnection

        func send(_ bytes: [UInt8]) { try? connection.send(bytes) }

        func send(_ text: String) { send(Array(text.utf8)) }

        func respond(_ status: Int = 200, _ headers: [String] = [], _ body: String = "") {
            let lines = ["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)"] + headers
            send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }

        func redirect(_ location: String) { respond(302, ["Location: \(location)"]) }

        /// Closes the connection, even if the body is shorter than its `Content-Length`.
        func close() { connection.close() }

        func sendUntilFull(_ chunk: [UInt8], limit: Duration) -> Int { connection.sendUntilFull(chunk, limit: limit) }

        /// Sends a byte every `span` until the client has disconnected.
        func drip(every span: Duration) { while connection.pause(span) { send("x") } }

        /// Waits until the client has disconnected.
        func waitForTheEnd() { connection.waitForClient() }
    }

    private struct Seen {
        var requests: [Request] = []
        var accepted = 0
    }

    private let server: TestSupport.LoopbackServer
    private let seen: Monitor<Seen>

    init(_ answer: @escaping @Sendable (Request, Peer) -> Void) throws {
        let seen = Monitor(Seen())
        self.seen = seen
        server = try TestSupport.LoopbackServer(serve: { connection in
            let number = seen.update {
                $0.accepted += 1
                return $0.accepted
            }
            while connection.staysOpen, let request = try connection.readRequest() {
                let headers = Dictionary(
                    request.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
                let request = Request(
                    method: request.method, target: request.target, headers: headers, connection: number,
                    body: request.body)
                seen.update { $0.requests.append(request) }
                answer(request, Peer(connection: connection))
            }
        })
    }

    var port: Int { Int(server.port) }
    var requests: [Request] { seen.withLock { $0.requests } }
    var accepted: Int { seen.withLock { $0.accepted } }

    /// The address of a path on this server.
    func url(_ path: String = "/", host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    /// Waits for `count` requests.
    func waitForRequests(_ count: Int) { _ = seen.wait { $0.requests.count >= count ? true : nil } }
}
