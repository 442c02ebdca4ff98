import TestSupport

/// Transient faults between a tool and a server.
enum NetworkFault: CaseIterable {
    case reset, closed, cutShort, notHTTP, stalled
    case timeout408, tooMany429, error500, badGateway502, unavailable503, gatewayTimeout504, upstreamText

    /// The faults that do not need a timeout.
    static let quick = allCases.filter { $0 != .stalled }

    /// Applies the fault to a request in place of its response.
    ///
    /// - Parameter pause: the value of `Retry-After`, for faults with a status.
    func happen(
        to request: LoopbackRequest, _ response: LoopbackResponse, on connection: LoopbackConnection, pause: Int?
    ) throws {
        func send(_ status: Int, _ text: String) throws {
            var response = LoopbackResponse.text(text, status: status)
            response.set("Retry-After", pause.map { "\($0)" })
            // Closes the connection after the response. If a reused connection is closed, clients such as libcurl
            // immediately repeat the request on a new connection (RFC 9112 §9.3.1), so a later fault on this connection
            // would not count as a failure.
            connection.close()
            try connection.send(response, to: request)
        }
        switch self {
        case .reset: connection.reset()
        case .closed: connection.close()
        case .cutShort:
            var response = response
            response.set("Content-Length", "\(response.body.count + 1)")
            try connection.send(response.head() + response.body)
            connection.close()
        case .notHTTP:
            try connection.send(Array("220 mail.example.org ready\r\n\r\n".utf8))
            connection.close()
        case .stalled:
            var response = response
            response.set("Content-Length", "\(response.body.count + 1)")
            try connection.send(response.head() + response.body)
            connection.waitForClient()
        case .timeout408: try send(408, "")
        case .tooMany429: try send(429, #"{"error":{"code":"OVER_RATE_LIMIT","message":"You have exceeded it."}}"#)
        case .error500: try send(500, #"{"code":500,"msg":"Internal Service Error","service_version":"v1"}"#)
        case .badGateway502: try send(502, "<html><h1>502 Bad Gateway</h1></html>")
        case .unavailable503: try send(503, "<!DOCTYPE html><p>Maintenance")
        case .gatewayTimeout504: try send(504, "")
        case .upstreamText:
            try send(503, "upstream connect error or disconnect/reset before headers. reset reason: connection timeout")
        }
    }
}
