import HTTP
import Support

/// A transport whose answer is a function of the request and the number of earlier requests.
final class ScriptedTransport: HTTPTransport {
    /// A response: status, header fields and body, or an error after part of the body.
    struct Answer: Sendable {
        var status = 200
        var headers: [HTTPHeaders.Field] = []
        var body: [[UInt8]] = []
        var error: FetchFailure?
        /// Whether a pause precedes the head and each part of the body.
        var pauses = false

        static func ok(_ text: String) -> Answer { Answer(body: [Array(text.utf8)]) }
        static func status(_ status: Int, _ headers: KeyValuePairs<String, String> = [:]) -> Answer {
            Answer(status: status, headers: HTTPHeaders(headers).fields)
        }
        static func redirect(_ location: String) -> Answer { .status(302, ["Location": location]) }
    }

    private let script: @Sendable (HTTPRequest, Int) -> Answer
    private let log = Monitor<[HTTPRequest]>([])

    init(_ script: @escaping @Sendable (HTTPRequest, Int) -> Answer) { self.script = script }

    var requests: [HTTPRequest] { log.withLock { $0 } }

    func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        let count = log.withLock {
            $0.append(request)
            return $0.count - 1
        }
        let answer = script(request, count)
        let response = HTTPResponse(status: answer.status, headers: HTTPHeaders(answer.headers), url: request.url)
        if answer.pauses { try receive(.pause) }
        try receive(.head(response))
        for part in answer.body {
            if answer.pauses { try receive(.pause) }
            try part.withUnsafeBytes { try receive(.body($0)) }
        }
        if let error = answer.error { throw error }
        return response
    }
}
