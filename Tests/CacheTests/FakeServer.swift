import HTTP
import Support

/// An in-memory server with scripted answers that can pause in the middle of an answer.
final class FakeServer: HTTPTransport {
    struct Answer: Sendable {
        var status = 200
        var headers: [(String, String)] = []
        var body: [UInt8] = []
        /// Breaks the connection after this number of bytes.
        var breaksAfter: Int?
        /// Whether only the end of the connection marks the end of the body.
        var endsAtClose = false
    }

    private struct State: Sendable {
        var requests: [HTTPRequest] = []
        var isHolding = false
        var held = 0
    }

    private let state = Monitor(State())
    private let answer: @Sendable (HTTPRequest, Int) throws -> Answer

    /// - Parameter answer: receives the request and the number of earlier requests.
    init(_ answer: @escaping @Sendable (HTTPRequest, Int) throws -> Answer) { self.answer = answer }

    /// Answers every request with this body.
    convenience init(_ body: [UInt8], etag: String? = nil) {
        self.init { _, _ in Answer(headers: etag.map { [("ETag", $0)] } ?? [], body: body) }
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Pauses every later answer halfway until `release`.
    func hold() { state.update { $0.isHolding = true } }
    func release() { state.update { $0.isHolding = false } }
    func waitUntilHolding(_ count: Int = 1) { _ = state.wait { $0.held >= count ? true : nil } }

    func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        let number = state.update { state in
            state.requests.append(request)
            return state.requests.count - 1
        }
        let answer = try answer(request, number)
        var headers = HTTPHeaders()
        for (name, value) in answer.headers { headers.append(name: name, value: value) }
        let response = HTTPResponse(
            status: answer.status, headers: headers, url: request.url, endsAtClose: answer.endsAtClose)
        try receive(.head(response))
        let half = (answer.breaksAfter ?? answer.body.count) / 2
        try answer.body[..<half].withUnsafeBytes { try receive(.body($0)) }
        state.update { $0.held += 1 }
        defer { state.update { $0.held -= 1 } }
        // Like a real transport, reports progress regularly while no bytes arrive.
        while state.wait(
            atMost: .milliseconds(20),
            for: { [interruption] in !$0.isHolding || interruption.cause != nil ? true : nil })
            == nil
        { try receive(.pause) }
        try interruption.check()
        try answer.body[half..<(answer.breaksAfter ?? answer.body.count)].withUnsafeBytes { try receive(.body($0)) }
        if answer.breaksAfter != nil { throw FetchFailure.cutShort(url: request.url, detail: "connection reset") }
        return response
    }
}

extension HTTPRequest {
    init(_ address: String) throws { self.init(url: try WebURL(address)) }

    func header(_ name: String) -> String? { headers.last { $0.name == name }?.value }
}
