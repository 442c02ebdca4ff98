import Support
import TestSupport

/// A server whose every path is a picture, as large as wanted, with a strong ETag and ranges (RFC 9110 §13.1.5, §14).
///
/// It tells how far it has come, and stops where a test wants it to, so that nobody need guess what a tool has seen.
final class PictureServer: Sendable {
    /// What was asked for.
    struct Asked: Sendable {
        let path: String
        let range: String?
        let ifRange: String?
    }

    private struct State {
        var asked: [Asked] = []
        /// Grows whenever every picture becomes another one.
        var version = 0
        /// Bytes of bodies that clients have taken.
        var sent = 0
        /// How many of the next answers stop half-way, and how many have.
        var stallsLeft: Int
        var stalled = 0
        /// What is answered instead of pictures, once `released`.
        var refusal: Int?
        var isReleased = true
    }

    /// Bytes of each picture.
    let size: Int
    private let server: LoopbackServer
    private let state: Monitor<State>

    /// - Parameters:
    ///   - size: of each picture.
    ///   - stalls: how many answers stop half-way and stay silent until the client goes.
    init(size: Int = 100_000, stalls: Int = 0) throws {
        let state = Monitor(State(stallsLeft: stalls))
        self.size = size
        self.state = state
        server = try LoopbackServer { request, connection in
            try Self.answer(request, connection, state, size: size)
        }
    }

    func url(_ name: String) -> String { "\(server.address)/\(name).gif" }

    /// What a home needs to be allowed to ask.
    var environment: [String: String] { ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"] }

    /// What an address gives now, or gave in an earlier version.
    func picture(_ url: String, version: Int? = nil) -> [UInt8] {
        Self.picture(String(url.dropFirst(server.address.count)), version: version ?? self.version, size: size)
    }

    var version: Int { state.withLock { $0.version } }
    var asked: [Asked] { state.withLock { $0.asked } }
    var sent: Int { state.withLock { $0.sent } }

    /// Makes every picture another one under the same address.
    func change() { state.update { $0.version += 1 } }

    /// Lets the next answers stop half-way.
    func stall(next count: Int) { state.update { $0.stallsLeft = count } }

    /// Answers with this status from now on, but holds each answer back until `release()`.
    func refuse(_ status: Int) {
        state.update {
            $0.refusal = status
            $0.isReleased = false
        }
    }

    func release() { state.update { $0.isReleased = true } }

    /// Waits until so many answers have stopped half-way; false where that takes too long.
    func waitUntilStalled(_ count: Int = 1) -> Bool {
        state.wait(atMost: .seconds(30)) { $0.stalled >= count ? true : nil } ?? false
    }

    /// Waits until so many requests have come.
    func waitUntilAsked(_ count: Int) -> Bool {
        state.wait(atMost: .seconds(30)) { $0.asked.count >= count ? true : nil } ?? false
    }

    /// Waits until so many bytes of bodies have been sent in all, but no longer than `isWorthIt` holds.
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
        // In small pieces, so that there are many moments between the first and the last one.
        let end = stalls ? start + (size - start) / 2 : size
        while start < end {
            let next = min(start + 16_384, end)
            try connection.send(Array(picture[start..<next]))
            state.update { $0.sent += next - start }
            start = next
        }
        if stalls {
            state.update { $0.stalled += 1 }
            connection.waitForClient()
        }
    }

    /// A GIF of one pixel, behind whose end stand bytes that no other path, version or place has.
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
