import HTTP
import Support

/// Answers every request with the same status, fields and body, and counts the requests.
final class CannedTransport: HTTPTransport {
    private let status: Int
    private let headers: HTTPHeaders
    private let body: [UInt8]
    private let count = Monitor(0)

    init(_ status: Int, _ headers: KeyValuePairs<String, String> = [:], _ body: String = "") {
        self.status = status
        self.headers = HTTPHeaders(headers)
        self.body = Array(body.utf8)
    }

    /// Answers with a GIF.
    ///
    /// - Parameter remaining: the value of the header field for the remaining quota.
    init(gif body: [UInt8], remaining: String? = nil) {
        status = 200
        var headers = HTTPHeaders(["Content-Type": "image/gif"])
        if let remaining { headers.append(name: "X-RateLimit-Requests-Remaining", value: remaining) }
        self.headers = headers
        self.body = body
    }

    /// A transport that fails every request, like an unreachable server.
    static var unreachable: CannedTransport { CannedTransport(0) }

    var requests: Int { count.withLock { $0 } }

    func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        count.update { $0 += 1 }
        if status == 0 { throw FetchFailure.connectionFailed(url: request.url, detail: "refused") }
        let response = HTTPResponse(status: status, headers: headers, url: request.url)
        try receive(.head(response))
        try body.withUnsafeBytes { try receive(.body($0)) }
        return response
    }
}
