import Support

/// The secrets of a request, to remove from error responses before they are printed, logged or recorded: some servers
/// echo them for debugging.
package struct EchoedSecrets: Sendable {
    private let secrets: [[UInt8]]

    init(of request: HTTPRequest) { self.init(headers: request.headers, credentials: request.credentials) }

    package init(headers: [HTTPHeader], credentials: WebURL.Credentials?) {
        var texts = headers.filter { !$0.survivesCrossOriginRedirect }.flatMap { header in
            // A server may quote the token of `Bearer TOKEN` without the scheme.
            [header.value] + header.value.split(separator: " ").dropFirst().map(String.init)
        }
        if let credentials {
            texts += [
                credentials.password, PercentEncoding.encodedValue(credentials.password),
                Base64.encoded("\(credentials.user):\(credentials.password)".utf8),
            ]
        }
        // JSON may escape each slash.
        texts += texts.filter { $0.contains("/") }
            .map { $0.split(separator: "/", omittingEmptySubsequences: false).joined(separator: #"\/"#) }
        // The longest first, since one secret may contain another.
        secrets = texts.filter { !$0.isEmpty }.map { Array($0.utf8) }.sorted { $0.count > $1.count }
    }

    /// Replaces each secret by `…`. Cost: O(text × secrets).
    package func removed(from text: String) -> String {
        String(decoding: removed(from: Array(text.utf8)), as: UTF8.self)
    }

    func removed(from body: [UInt8]) -> [UInt8] { secrets.reduce(body) { Self.replacing($1, in: $0) } }

    private static func replacing(_ secret: [UInt8], in body: [UInt8]) -> [UInt8] {
        guard body.count >= secret.count else { return body }
        var result: [UInt8] = []
        result.reserveCapacity(body.count)
        var place = 0
        while place < body.count {
            if body[place] == secret[0], body[place...].starts(with: secret) {
                result += "…".utf8
                place += secret.count
            } else {
                result.append(body[place])
                place += 1
            }
        }
        return result
    }
}
