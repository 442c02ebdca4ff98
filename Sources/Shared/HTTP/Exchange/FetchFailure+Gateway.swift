extension FetchFailure.Answer {
    /// What Envoy answers in plain text for a server that it cannot reach.
    private static let gatewayWords = ["no healthy upstream", "upstream connect error", "upstream request timeout"]

    /// Whether a proxy before the server answers in its place, usually with status 503. Whatever the status, asking
    /// again helps. Looks at the beginning of the body alone.
    public var isOfGateway: Bool {
        let text = String(decoding: body.prefix(200), as: UTF8.self).lowercased().drop { $0.isWhitespace }
        return Self.gatewayWords.contains { text.hasPrefix($0) }
    }
}
