import Previews
import Support
import TestSupport

/// A server that sends pictures scan by scan, as the test releases them.
final class ScanServer: Sendable {
    private struct State {
        var released: [String: Int] = [:]
        var requests: [LoopbackRequest] = []
    }

    private let server: LoopbackServer
    private let state = Monitor(State())

    /// The offsets at which a client can detect that a scan is complete: each includes the beginning of the next scan.
    static func parts(of bytes: [UInt8]) -> [Int] {
        var finder = ScanFinder()
        var ends: [Int] = []
        bytes.withUnsafeBytes { finder.take($0) { ends.append(min($0.end + 8, bytes.count)) } }
        return ends + [bytes.count]
    }

    /// - Parameter pictures: the pictures by name. Each part waits for a `release` of its picture.
    init(_ pictures: [String: [UInt8]], type: String = "image/jpeg") throws {
        let state = self.state
        server = try LoopbackServer { request, connection in
            state.update { $0.requests.append(request) }
            let name = String(request.path.dropFirst())
            guard let bytes = pictures[name] else { return try connection.send(.text("", status: 404), to: request) }
            var start = 0
            var response = LoopbackResponse.bytes([], type: type)
            response.set("ETag", "\"one\"")
            if let range = request.header("Range"), request.header("If-Range") == "\"one\"",
                let first = Int(range.dropFirst("bytes=".count).prefix { $0 != "-" })
            {
                start = first
                response.status = 206
                response.set("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)")
            }
            response.set("Content-Length", "\(bytes.count - start)")
            try connection.send(response.head())
            for (index, end) in Self.parts(of: bytes).enumerated() where end > start {
                let isReleased = state.wait(atMost: .seconds(30)) { $0.released[name, default: 0] > index ? true : nil }
                guard isReleased == true else { return connection.reset() }
                try connection.send(Array(bytes[start..<end]))
                start = end
            }
        }
    }

    func url(_ name: String) -> String { "\(server.address)/\(name)" }

    var environment: [String: String] { ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"] }

    var requests: [LoopbackRequest] { state.withLock { $0.requests } }

    /// Releases `count` more parts of a picture, for all clients.
    func release(_ name: String, _ count: Int = 1) { state.update { $0.released[name, default: 0] += count } }

    func releaseAll(_ name: String) { release(name, 1_000_000) }
}
