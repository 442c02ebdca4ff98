import Support

/// A header field as users write it, optionally after the only origin that may see it.
public struct HeaderLine: Sendable {
    /// The only server that may see it, if the line names a server.
    public let origin: WebURL.Origin?
    public let header: HTTPHeader

    /// Parses `Name: value`, or `Name;` for a field with an empty value, as in curl, optionally after an origin such as
    /// `https://example.org`. Throws `UsageFailure`, whose message contains at most the name, since the value is
    /// probably a secret.
    ///
    /// - Parameter source: the place of the line in the message: `--header`, or a file and its line number.
    public init(_ text: String, source: String) throws(UsageFailure) {
        var rest = text[...].trimming(while: \.isBlank)
        origin = try Self.takeOrigin(&rest, source)
        guard let end = rest.firstIndex(where: { $0 == ":" || $0 == ";" }) else {
            throw UsageFailure("\(source) takes 'Name: value'; what was given has no colon")
        }
        let name = String(rest[..<end].trimming(while: \.isBlank))
        let value = String(rest[rest.index(after: end)...].trimming(while: \.isBlank))
        guard HTTPHeader(name, "").isValid else {
            throw UsageFailure("\(source) takes 'Name: value' with a name of letters, digits and hyphens")
        }
        if rest[end] == ";" {
            guard value.isEmpty else {
                throw UsageFailure("\(source) takes 'Name: value'; what was given has a semicolon first")
            }
        } else if value.isEmpty {
            throw UsageFailure("\(source): \"\(name):\" has no value; write '\(name);' to send it empty")
        }
        if Self.isTheToolsOwn(name) {
            throw UsageFailure("\(source): the tool sets \"\(name)\" itself, by what it asks for")
        }
        header = HTTPHeader(name, value)
        guard header.isValid else {
            throw UsageFailure("\(source): the value of \"\(name)\" has control characters, which cannot be sent")
        }
    }

    /// Removes an origin, and the white space after it, from the front of `text`.
    private static func takeOrigin(_ text: inout Substring, _ source: String) throws(UsageFailure) -> WebURL.Origin? {
        guard let scheme = String(text).prefix(before: "://"), scheme.allSatisfy({ $0.isLetter }) else {
            return nil
        }
        let end = text.firstIndex { $0 == " " || $0 == "\t" } ?? text.endIndex
        let word = String(text[..<end])
        guard let origin = WebURL.Origin(word) else {
            throw UsageFailure("\(source) takes an origin such as https://example.org before the header")
        }
        text = text[end...].trimming(while: \.isBlank)
        return origin
    }

    /// Fields that change the meaning of an answer to the cache (ranges, conditions, codings) or the framing of the
    /// message (RFC 9112 §6), and `Host`, which must be the address's.
    private static func isTheToolsOwn(_ name: String) -> Bool {
        [
            "accept-encoding", "connection", "content-length", "expect", "host", "if-match", "if-modified-since",
            "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "proxy-connection", "range", "te",
            "trailer", "transfer-encoding", "upgrade",
        ].contains(name.lowercased())
    }
}

extension Character {
    /// Whether it is a space, a tab, or the carriage return of a line end.
    fileprivate var isBlank: Bool { self == " " || self == "\t" || self == "\r" }
}
