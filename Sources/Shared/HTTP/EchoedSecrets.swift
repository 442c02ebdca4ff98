import Support

/// What a request sent in confidence and its server may repeat in the words of a refusal, as some do for whoever looks
/// for a fault. Those words are shown, logged and written into records, so it is taken out of them.
struct EchoedSecrets {
    private let secrets: [[UInt8]]

    init(of request: HTTPRequest) {
        var texts = request.headers.filter { !$0.crossesOrigins }.flatMap { header in
            // `Bearer TOKEN`: a server may quote the token alone.
            [header.value] + header.value.split(separator: " ").dropFirst().map(String.init)
        }
        if let credentials = request.credentials {
            texts += [credentials.password, Base64.encoded("\(credentials.user):\(credentials.password)".utf8)]
        }
        // JSON may have a backslash before each slash.
        texts += texts.filter { $0.contains("/") }
            .map { $0.split(separator: "/", omittingEmptySubsequences: false).joined(separator: #"\/"#) }
        // The longest first: one may be a part of another.
        secrets = texts.filter { !$0.isEmpty }.map { Array($0.utf8) }.sorted { $0.count > $1.count }
    }

    /// The body with `…` in place of each. O(body × secrets).
    func removed(from body: [UInt8]) -> [UInt8] {
        secrets.reduce(body) { Self.replacing($1, in: $0) }
    }

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
