import Libc
import Support

/// An HTTP/1.1 server on a free port of 127.0.0.1, for as long as it is referenced. Each connection has a thread; a
/// function answers.
final class LoopbackServer: Sendable {
    struct Request: Sendable {
        let method: String
        let target: String
        let headers: HTTPHeadersSeen
        /// Which connection it came on, from 1.
        let connection: Int
        let body: [UInt8]
    }

    /// Fields as they were sent, names in lower case.
    typealias HTTPHeadersSeen = [String: String]

    /// The other end of a connection, for the function that answers.
    struct Peer: Sendable {
        fileprivate let descriptor: Int32

        func send(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { systemSend(descriptor, $0) }
                if count <= 0 { return }
                rest = rest.dropFirst(count)
            }
        }

        func send(_ text: String) { send(Array(text.utf8)) }

        func respond(_ status: Int = 200, _ headers: [String] = [], _ body: String = "") {
            let lines = ["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)"] + headers
            send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }

        func redirect(_ location: String) { respond(302, ["Location: \(location)"]) }

        /// Ends the connection: unsent bytes of the promised length never arrive.
        func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

        /// Sends a chunk repeatedly until the client has read nothing for `limit`, or has disconnected; returns the
        /// number of sent bytes.
        func sendUntilFull(_ chunk: [UInt8], limit: Duration) -> Int {
            var count = 0
            while true {
                let sent = chunk.withUnsafeBytes { systemSend(descriptor, $0, Int32(MSG_DONTWAIT)) }
                if sent > 0 {
                    count += sent
                    continue
                }
                guard errno == EAGAIN else { return count }
                var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&watched, 1, Int32(limit.milliseconds)) <= 0 { return count }
            }
        }

        /// Sends a byte every so often until the client has gone.
        func drip(every span: Duration) {
            var watched = pollfd(fd: descriptor, events: 0, revents: 0)
            while poll(&watched, 1, Int32(span.milliseconds)) == 0 { send("x") }
        }

        /// Holds the answer back until the client has gone.
        func waitForTheEnd() {
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, 0) > 0 {}
        }
    }

    let port: Int
    private let listener: Int32
    private let seen: Monitor<Seen>

    private struct Seen {
        var requests: [Request] = []
        var connections: [Int32] = []
        var accepted = 0
    }

    init(_ answer: @escaping @Sendable (Request, Peer) -> Void) throws {
        signal(SIGPIPE, SIG_IGN)
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, stream, 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw SystemFailure(errno: errno, "listen on 127.0.0.1") }
        self.listener = listener
        port = Int(UInt16(bigEndian: name.sin_port))
        let seen = Monitor(Seen())
        self.seen = seen
        try Thread.start {
            while true {
                let descriptor = accept(listener, nil, nil)
                if descriptor < 0 {
                    if errno == EINTR || errno == ECONNABORTED { continue }
                    break
                }
                let number = seen.update {
                    $0.connections.append(descriptor)
                    $0.accepted += 1
                    return $0.accepted
                }
                _ = try? Thread.start { Self.serve(descriptor, number, seen, answer) }.detach()
            }
            close(listener)
        }.detach()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        seen.update { seen in
            for descriptor in seen.connections { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    var requests: [Request] { seen.withLock { $0.requests } }
    var accepted: Int { seen.withLock { $0.accepted } }

    /// The address of a path on this server.
    func url(_ path: String = "/", host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    /// Waits until so many requests have come.
    func waitForRequests(_ count: Int) { _ = seen.wait { $0.requests.count >= count ? true : nil } }

    private static func serve(
        _ descriptor: Int32, _ number: Int, _ seen: Monitor<Seen>, _ answer: (Request, Peer) -> Void
    ) {
        var buffer: [UInt8] = []
        while let request = nextRequest(descriptor, number, &buffer) {
            seen.update { $0.requests.append(request) }
            answer(request, Peer(descriptor: descriptor))
        }
        seen.update { $0.connections.removeAll { $0 == descriptor } }
        close(descriptor)
    }

    private static func nextRequest(_ descriptor: Int32, _ number: Int, _ buffer: inout [UInt8]) -> Request? {
        let end = Array("\r\n\r\n".utf8)
        func receive() -> Bool {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count > 0 { buffer += chunk[..<count] }
            return count > 0
        }
        while true {
            let starts = buffer.count >= 4 ? Array(0...(buffer.count - 4)) : []
            if let index = starts.first(where: { Array(buffer[$0..<$0 + 4]) == end }) {
                let lines = String(decoding: buffer[..<index], as: UTF8.self).split(separator: "\r\n")
                buffer.removeFirst(index + 4)
                var headers: HTTPHeadersSeen = [:]
                for line in lines.dropFirst() {
                    let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    headers[halves[0].lowercased()] = halves.count > 1 ? String(halves[1].drop { $0 == " " }) : ""
                }
                let words = (lines.first ?? "").split(separator: " ")
                let length = headers["content-length"].flatMap { Int($0) } ?? 0
                while buffer.count < length { if !receive() { return nil } }
                let body = Array(buffer[..<length])
                buffer.removeFirst(length)
                return Request(
                    method: String(words.first ?? ""), target: words.count > 1 ? String(words[1]) : "",
                    headers: headers, connection: number, body: body)
            }
            if !receive() { return nil }
        }
    }
}

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32 = 0) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, flags)
}
