/// An HTTP request as received.
public struct LoopbackRequest: Sendable {
    public let method: String
    /// The path and query, as sent.
    public let target: String
    /// Names and values, as sent.
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]

    public init(method: String, target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The path without the query, as sent.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The query as sent; empty if there is none.
    public var queryText: String {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } ?? ""
    }

    /// The decoded fields of the query, in order.
    public var query: [(name: String, value: String)] {
        queryText.split(separator: "&").map { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    /// Returns the decoded value of the first query field of this name.
    public func field(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns the value of the first header of this name, ignoring case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Returns the same request for another target.
    public func retargeted(_ target: String) -> LoopbackRequest {
        LoopbackRequest(method: method, target: target, headers: headers, body: body)
    }

    /// Decodes percent escapes, and `+` as a space, as in forms.
    public static func decoded(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

public struct LoopbackResponse: Sendable {
    public var status: Int
    /// Sent in this order; `LoopbackConnection` adds `Content-Length`.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]

    public init(_ status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    public static func text(_ text: String, status: Int = 200, type: String = "text/plain") -> LoopbackResponse {
        LoopbackResponse(status, headers: [("Content-Type", type)], body: Array(text.utf8))
    }

    public static func json(_ text: String, status: Int = 200) -> LoopbackResponse {
        .text(text, status: status, type: "application/json")
    }

    public static func bytes(_ bytes: [UInt8], type: String) -> LoopbackResponse {
        LoopbackResponse(headers: [("Content-Type", type)], body: bytes)
    }

    /// Returns the value of the first header of this name, ignoring case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Replaces all headers of this name; nil removes them.
    public mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.name.lowercased() == name.lowercased() }
        if let value { headers.append((name, value)) }
    }

    /// Returns the status line, the headers and the empty line after them.
    public func head() -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    private static func reason(_ status: Int) -> String {
        let words = [
            200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found",
            303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
            400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
            410: "Gone", 416: "Range Not Satisfiable", 422: "Unprocessable Content", 429: "Too Many Requests",
            500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        ]
        return words[status] ?? "Status"
    }
}
