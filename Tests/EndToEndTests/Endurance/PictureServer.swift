import Support
import TestSupport

/// A server with a picture of the given size at every path. It sends a strong ETag and supports ranges (RFC 9110
/// §13.1.5, §14).
///
/// It counts sent bytes and pauses on request, so that a test knows which bytes a tool has received.
final class PictureServer: Sendable {
    /// A received request.
    struct Asked: Sendable {
        let path: String
        let range: String?
        let ifRange: String?
    }

    private struct State {
        var asked: [Asked] = []
        /// Incremented to change all pictures.
        var version = 0
        /// The number of body bytes sent.
        var sent = 0
        /// The number of answers that will still pause halfway, and the number that have paused.
        var stallsLeft: Int
        var stalled = 0
        /// Whether paused answers continue.
        var goesOn = false
        /// The status sent instead of pictures. Answers wait until `isReleased`.
        var refusal: Int?
        var isReleased = true
    }

    /// The size of each picture in bytes.
    let size: Int
    private let server: LoopbackServer
    private let state: Monitor<State>

    /// - Parameters:
    ///   - size: the size of each picture in bytes.
    ///   - stalls: the number of answers that pause halfway until the client disconnects or `goOn()` is called.
    init(size: Int = 100_000, stalls: Int = 0) throws {
        let state = Monitor(State(stallsLeft: stalls))
        self.size = size
        self.state = state
        server = try LoopbackServer { request, connection in
            try Self.answer(request, connection, state, size: size)
        }
    }

    func url(_ name: String) -> String { "\(server.address)/\(name).gif" }

    /// The settings that allow a tool to connect to this server.
    var environment: [String: String] { ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"] }

    /// The picture at an address, in the current or an earlier version.
    func picture(_ url: String, version: Int? = nil) -> [UInt8] {
        Self.picture(String(url.dropFirst(server.address.count)), version: version ?? self.version, size: size)
    }

    var version: Int { state.withLock { $0.version } }
    var asked: [Asked] { state.withLock { $0.asked } }
    var sent: Int { state.withLock { $0.sent } }

    /// Changes every picture.
    func change() { state.update { $0.version += 1 } }

    /// Pauses the next answers halfway.
    func stall(next count: Int) { state.update { $0.stallsLeft = count } }

    /// Continues the paused answers.
    func goOn() { state.update { $0.goesOn = true } }

    /// Answers with this status from now on, but delays each answer until `release()`.
    func refuse(_ status: Int) {
        state.update {
            $0.refusal = status
            $0.isReleased = false
        }
    }

    func release() { state.update { $0.isReleased = true } }

    /// Waits until `count` answers have paused halfway. Returns false after 30 seconds.
    func waitUntilStalled(_ count: Int = 1) -> Bool {
        state.wait(atMost: .seconds(30)) { $0.stalled >= count ? true : nil } ?? false
    }

    /// Waits until `count` requests were received. Returns false after 30 seconds.
    func waitUntilAsked(_ count: Int) -> Bool {
        state.wait(atMost: .seconds(30)) { $0.asked.count >= count ? true : nil } ?? false
    }

    /// Waits until `count` body bytes were sent in total, `isWorthIt` is false, or 20 seconds have passed.
    func wait(untilSent count: Int, while isWorthIt: () -> Bool) {
        let end = ContinuousClock.now + .seconds(20)
        while sent < count, isWorthIt(), ContinuousClock.now < end {
            _ = state.wait(atMost: .milliseconds(20)) { $0.sent >= count ? true : nil }
        }
    }

    private static func answer(
        _ request: LoopbackRequest, _ connection: LoopbackConnection, _ state: Monitor<State>, size: Int
    ) throws {
        let asked = Asked(
            path: request.path, range: request.header("Range"), ifRange: request.header("If-Range"))
        let (version, stalls, refusal) = state.update { state in
            state.asked.append(asked)
            let stalls = state.stallsLeft > 0 && state.refusal == nil
            if stalls { state.stallsLeft -= 1 }
            return (state.version, stalls, state.refusal)
        }
        if let refusal {
            _ = state.wait(atMost: .seconds(30)) { $0.isReleased ? true : nil }
            return try connection.send(.text("no", status: refusal), to: request)
        }
        let picture = picture(request.path, version: version, size: size)
        let etag = "\"\(version)\""
        var response = LoopbackResponse.bytes([], type: "image/gif")
        response.set("ETag", etag)
        if request.header("If-None-Match") == etag {
            response.status = 304
            return try connection.send(response, to: request)
        }
        var start = 0
        if let range = asked.range, asked.ifRange ?? etag == etag,
            let first = Int(range.dropFirst("bytes=".count).prefix { $0 != "-" }), first < size
        {
            start = first
            response.status = 206
            response.set("Content-Range", "bytes \(start)-\(size - 1)/\(size)")
        }
        response.set("Content-Length", "\(size - start)")
        try connection.send(response.head())
        let half = stalls ? start + (size - start) / 2 : size
        try send(picture[start..<half], connection, state)
        if !stalls { return }
        state.update { $0.stalled += 1 }
        while !state.withLock({ $0.goesOn }) {
            guard connection.pause(.milliseconds(10)) else { return connection.close() }
        }
        try send(picture[half...], connection, state)
    }

    /// Sends small pieces, so that a process can be killed at many points.
    private static func send(
        _ bytes: ArraySlice<UInt8>, _ connection: LoopbackConnection, _ state: Monitor<State>
    ) throws {
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.prefix(16_384)
            try connection.send(Array(piece))
            state.update { $0.sent += piece.count }
            rest = rest.dropFirst(piece.count)
        }
    }

    /// A GIF of a single pixel, followed by bytes that are unique to the name, version and position.
    static func picture(_ name: String, version: Int, size: Int) -> [UInt8] {
        var result: [UInt8] = [
            0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x2C, 0, 0, 0, 0, 1, 0,
            1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B,
        ]
        var random = SeededRandom(name: "\(name) \(version)")
        let block = random.bytes(1024)
        result.reserveCapacity(size + block.count)
        while result.count < size {
            withUnsafeBytes(of: result.count.littleEndian) { result += $0 }
            result += block
        }
        result.removeLast(result.count - size)
        return result
    }
}
