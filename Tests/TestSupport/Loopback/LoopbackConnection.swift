import Libc
import Support

/// The connection of a client, used by the thread that responds to it.
public final class LoopbackConnection {
    /// The client has disconnected, or has sent bytes that are not HTTP.
    public struct Broken: Error {}

    private let descriptor: Int32
    private var received: [UInt8] = []
    /// Whether the connection stays open for another request after this response.
    public private(set) var staysOpen = true

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Sends bytes unchanged. Throws `Broken` if the client has disconnected.
    public func send(_ bytes: [UInt8]) throws { try Self.send(bytes, to: descriptor) }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) throws {
        try bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = sendQuietly(descriptor, bytes.baseAddress! + done, bytes.count - done)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { throw Broken() }
                done += count
            }
        }
    }

    /// Sends a response with its length, but without the body for HEAD and for statuses without a body.
    public func send(_ response: LoopbackResponse, to request: LoopbackRequest) throws {
        var response = response
        if response.status != 204 && response.status != 304 && response.header("Content-Length") == nil {
            response.set("Content-Length", "\(response.body.count)")
        }
        if request.header("Connection")?.lowercased() == "close" { close() }
        if !staysOpen { response.set("Connection", "close") }
        let hasBody = request.method != "HEAD" && response.status != 204 && response.status != 304
        try send(response.head() + (hasBody ? response.body : []))
    }

    /// Connects the client to a port of 127.0.0.1 (RFC 9110 §9.3.6), and forwards bytes in both directions until one
    /// side disconnects.
    public func tunnel(to port: UInt16) throws {
        let far = try LoopbackClient.connected(to: port)
        defer { _ = closeDescriptor(far) }
        close()
        try send(Array("HTTP/1.1 200 Connected\r\n\r\n".utf8))
        var watched = [descriptor, far].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            if poll(&watched, 2, -1) < 0 { continue }
            for (from, to) in [(0, 1), (1, 0)] where watched[from].revents != 0 {
                let count = read(watched[from].fd, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { return }
                try Self.send(Array(buffer[..<count]), to: watched[to].fd)
            }
        }
    }

    /// Ends the connection after this response.
    public func close() { staysOpen = false }

    /// Ends the connection with a reset instead of closing it.
    public func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Linger>.size))
        close()
    }

    /// Waits until the client has disconnected or the server is stopped. Drops bytes received during the wait.
    public func waitForClient() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { break }
        }
        close()
    }

    /// Returns the next bytes that the client sends; none at the end of the connection.
    public func receive(atMost limit: Int) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        while true {
            let count = read(descriptor, &buffer, limit)
            if count < 0 && errno == EINTR { continue }
            if count < 0 { throw Broken() }
            return Array(buffer[..<count])
        }
    }

    /// Waits for `limit`. Returns false as soon as the client disconnects.
    public func pause(_ limit: Duration) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let end = ContinuousClock.now + limit
        while true {
            let rest = (end - .now).milliseconds
            if rest <= 0 { return true }
            if poll(&watched, 1, Int32(min(rest, 60_000))) <= 0 { continue }
            // After a reset, unread bytes can still be read.
            if watched.revents & Int16(POLLHUP | POLLERR) != 0 { return false }
            var byte: UInt8 = 0
            // A readable socket without bytes has been closed by the client.
            if recv(descriptor, &byte, 1, Int32(MSG_PEEK)) <= 0 { return false }
            watched.events = 0
        }
    }

    /// Sends a chunk repeatedly until the client has read nothing for `limit`, or has disconnected; returns the number
    /// of sent bytes.
    public func sendUntilFull(_ chunk: [UInt8], limit: Duration) -> Int {
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        defer { _ = fcntl(descriptor, F_SETFL, flags) }
        var count = 0
        while true {
            let sent = chunk.withUnsafeBytes { sendQuietly(descriptor, $0.baseAddress!, $0.count) }
            if sent > 0 {
                count += sent
                continue
            }
            guard errno == EAGAIN else { return count }
            var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            if poll(&watched, 1, Int32(limit.milliseconds)) <= 0 { return count }
        }
    }

    /// Returns the next request, or nil if the client has closed the connection.
    public func readRequest() throws -> LoopbackRequest? {
        guard let head = try takeHead() else { return nil }
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)
        let words = lines.first.map { $0.split(separator: " ") } ?? []
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { throw Broken() }
        var headers: [(name: String, value: String)] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw Broken() }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers.append((String(line[..<colon]), String(value)))
        }
        let request = LoopbackRequest(method: String(words[0]), target: String(words[1]), headers: headers)
        if request.header("Expect") != nil { try send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
        if words[2] == "HTTP/1.0" { close() }
        guard length > 0 else { return request }
        while received.count < length { guard try receive() else { throw Broken() } }
        let body = Array(received[..<length])
        received.removeFirst(length)
        return LoopbackRequest(method: request.method, target: request.target, headers: headers, body: body)
    }

    private func takeHead() throws -> String? {
        var searched = 0
        while true {
            let end: [UInt8] = [13, 10, 13, 10]
            while searched + 4 <= received.count {
                if received[searched..<searched + 4].elementsEqual(end) {
                    defer { received.removeFirst(searched + 4) }
                    return String(decoding: received[..<searched], as: UTF8.self)
                }
                searched += 1
            }
            // No client of the tests sends a larger head.
            if received.count > 1 << 20 { throw Broken() }
            guard try receive() else {
                if received.isEmpty { return nil }
                throw Broken()
            }
        }
    }

    private func receive() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 { throw Broken() }
            received.append(contentsOf: buffer[..<count])
            return count > 0
        }
    }
}

/// The C structure; in `reset` a variable hides its name.
private typealias Linger = linger

private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// Sends bytes. If the client has disconnected, fails without SIGPIPE.
private func sendQuietly(_ descriptor: Int32, _ base: UnsafeRawPointer, _ count: Int) -> Int {
    #if canImport(Darwin)
    return send(descriptor, base, count, 0)
    #else
    return send(descriptor, base, count, Int32(MSG_NOSIGNAL))
    #endif
}
