import Support
import TestSupport

/// A server for one picture that pauses its first answers halfway until the client disconnects, and reports the number
/// of paused answers to the test.
final class StallingServer: Sendable {
    struct State {
        var requests = 0
        /// The number of clients whose answer has paused.
        var stalled = 0
    }

    let picture: [UInt8]
    private let server: LoopbackServer
    private let state: Monitor<State>

    /// - Parameters:
    ///   - stalls: the number of answers that pause halfway; later answers are complete.
    ///   - type: the content type of the answers.
    init(stalls: Int = .max, type: String = "image/png") throws {
        let state = Monitor(State())
        let picture = DrawnPicture.noise(100, 80, seed: 7).png()
        self.state = state
        self.picture = picture
        server = try LoopbackServer { request, connection in
            let number = state.update { state in
                state.requests += 1
                return state.requests
            }
            guard number <= stalls else {
                return try connection.send(.bytes(picture, type: type), to: request)
            }
            var response = LoopbackResponse.bytes([], type: type)
            response.set("Content-Length", "\(picture.count)")
            try connection.send(response.head() + picture[..<(picture.count / 2)])
            state.update { $0.stalled += 1 }
            connection.waitForClient()
        }
    }

    func url(_ name: String = "a.png") -> String { "\(server.address)/\(name)" }

    /// The settings that allow a tool to connect to this server.
    var environment: [String: String] { ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"] }

    var requests: Int { state.withLock { $0.requests } }

    /// Waits until `count` answers have paused halfway. Returns false after 30 seconds.
    func waitUntilStalled(_ count: Int = 1) -> Bool {
        state.wait(atMost: .seconds(30)) { $0.stalled >= count ? true : nil } ?? false
    }
}
