import Libc
import Support

/// A minimal HTTP client for tests of the test servers.
public enum LoopbackClient {
    /// Sends a request to `http://127.0.0.1:PORT/…` and returns the response, for any status. The body contains all
    /// bytes until the server closes, without decoding chunks.
    public static func send(
        _ url: String, method: String = "GET", headers: [(name: String, value: String)] = []
    ) throws -> LoopbackResponse {
        let prefix = "http://127.0.0.1:"
        let place = url.dropFirst(prefix.count)
        let target = place.drop { $0 != "/" }
        guard url.hasPrefix(prefix), let port = UInt16(place.prefix { $0 != "/" }) else {
            throw UsageFailure("not a loopback address: \(url)")
        }
        var text = "\(method) \(target.isEmpty ? "/" : target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return try parsed(exchange(port, Array((text + "Connection: close\r\n\r\n").utf8)))
    }

    /// Sends bytes and returns all bytes that the server sends until it closes.
    public static func exchange(_ port: UInt16, _ bytes: [UInt8]) throws -> [UInt8] {
        let descriptor = try connected(to: port)
        defer { close(descriptor) }
        let file = try File(descriptor: descriptor, path: "127.0.0.1:\(port)", closes: false)
        try file.write(bytes)
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { return result }
            result.append(contentsOf: buffer[..<count])
        }
    }

    /// Returns a socket that is connected to a port. The caller closes it.
    static func connected(to port: UInt16) throws -> Int32 {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw SystemFailure(errno: errno, "make a socket") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            let failure = SystemFailure(errno: errno, "connect to 127.0.0.1:\(port)")
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    private static func parsed(_ bytes: [UInt8]) throws -> LoopbackResponse {
        let end = bytes.indices.first { bytes[$0...].starts(with: [13, 10, 13, 10]) }
        guard let end else { throw UsageFailure("the answer has no head") }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first.map { $0.split(separator: " ") } ?? []
        guard words.count >= 2, let status = Int(words[1]) else { throw UsageFailure("the answer has no status") }
        let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
        return LoopbackResponse(status, headers: headers, body: Array(bytes[(end + 4)...]))
    }
}
