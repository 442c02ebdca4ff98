import Support

/// A header field in the user's notation, optionally preceded by the only origin that may receive the field.
public struct HeaderLine: Sendable {
    /// Nil if the line names no origin.
    public let origin: WebURL.Origin?
    public let header: HTTPHeader

    /// Parses `Name: value` or, as in curl, `Name;` for an empty value. An origin such as `https://example.org` may
    /// come before the name. Throws `UsageFailure`, whose message never contains the value, since it is probably a
    /// secret.
    ///
    /// - Parameter source: the source of the line, for messages: `--header`, or a file and its line number.
    public init(_ text: String, source: String) throws(UsageFailure) {
        var rest = text[...].trimming(while: \.isBlank)
        origin = try Self.takeOrigin(&rest, source)
        guard let end = rest.firstIndex(where: { $0 == ":" || $0 == ";" }) else {
            throw UsageFailure("\(source) takes 'Name: value'; add the colon after the name")
        }
        let name = String(rest[..<end].trimming(while: \.isBlank))
        let value = String(rest[rest.index(after: end)...].trimming(while: \.isBlank))
        guard HTTPHeader(name, "").isValid else {
            throw UsageFailure("\(source) takes 'Name: value' with a name of letters, digits and hyphens")
        }
        if rest[end] == ";" {
            guard value.isEmpty else {
                throw UsageFailure("\(source) takes 'Name: value'; replace the semicolon after the name by a colon")
            }
        } else if value.isEmpty {
            throw UsageFailure("\(source): \"\(name):\" has no value; write '\(name);' to send it without a value")
        }
        if Self.isTheToolsOwn(name) {
            throw UsageFailure("\(source): \"\(name)\" is reserved; the tool sets it for each request")
        }
        header = HTTPHeader(name, value)
        guard header.isValid else {
            throw UsageFailure("\(source): the value of \"\(name)\" contains control characters, which cannot be sent")
        }
    }

    /// Removes a leading origin, and the white space after it, from `text`. Returns nil if there is none.
    private static func takeOrigin(_ text: inout Substring, _ source: String) throws(UsageFailure) -> WebURL.Origin? {
        guard let scheme = String(text).prefix(before: "://"), scheme.allSatisfy({ $0.isLetter }) else { return nil }
        let end = text.firstIndex { $0 == " " || $0 == "\t" } ?? text.endIndex
        guard let origin = WebURL.Origin(String(text[..<end])) else {
            throw UsageFailure("\(source) takes an origin such as https://example.org before the header")
        }
        text = text[end...].trimming(while: \.isBlank)
        return origin
    }

    /// Whether only the tools may set this field: it affects caching (ranges, conditions, codings) or the framing of
    /// the message (RFC 9112 §6), or must match the address (`Host`).
    private static func isTheToolsOwn(_ name: String) -> Bool {
        [
            "accept-encoding", "connection", "content-length", "expect", "host", "if-match", "if-modified-since",
            "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "proxy-connection", "range", "te",
            "trailer", "transfer-encoding", "upgrade",
        ].contains(name.lowercased())
    }
}

extension Character {
    fileprivate var isBlank: Bool { self == " " || self == "\t" || self == "\r" }
}
