import Support

/// A header field as people write it, optionally after the only origin that may see it.
public struct HeaderLine: Sendable {
    /// The only server that may see it; nil if the line names none.
    public let origin: WebURL.Origin?
    public let header: HTTPHeader

    /// Reads `Name: value`, or `Name;` for a field with an empty value, as curl does, optionally after an origin such
    /// as `https://example.org`. Blanks around name and value are ignored.
    ///
    /// Throws `UsageFailure` for anything else. Its message names the field at most, since the value is probably a
    /// secret.
    ///
    /// - Parameter source: what the message names as the place of the line: `--header`, or a file and its line number.
    public init(_ text: String, source: String) throws(UsageFailure) {
        var rest = Self.trimmed(text[...])
        origin = try Self.takeOrigin(&rest, source)
        guard let end = rest.firstIndex(where: { $0 == ":" || $0 == ";" }) else {
            throw UsageFailure("\(source) takes 'Name: value'; what was given has no colon")
        }
        let name = String(Self.trimmed(rest[..<end]))
        let value = String(Self.trimmed(rest[rest.index(after: end)...]))
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

    /// Removes an address and the blanks after it from the front of `text`, if there is one.
    private static func takeOrigin(_ text: inout Substring, _ source: String) throws(UsageFailure) -> WebURL.Origin? {
        guard let scheme = String(text).prefix(before: "://"), scheme.allSatisfy({ $0.isLetter }) else {
            return nil
        }
        let end = text.firstIndex { $0 == " " || $0 == "\t" } ?? text.endIndex
        let word = String(text[..<end])
        guard let origin = WebURL.Origin(word) else {
            throw UsageFailure("\(source) takes an origin such as https://example.org before the header")
        }
        text = trimmed(text[end...])
        return origin
    }

    /// Fields that change what an answer means to the cache (ranges, conditions, codings) or how the message is framed
    /// (RFC 9112 §6), and `Host`, which decides which server answers: that is up to the address.
    private static func isTheToolsOwn(_ name: String) -> Bool {
        [
            "accept-encoding", "connection", "content-length", "expect", "host", "if-match", "if-modified-since",
            "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "proxy-connection", "range", "te",
            "trailer", "transfer-encoding", "upgrade",
        ].contains(name.lowercased())
    }

    private static func trimmed(_ text: Substring) -> Substring {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" || character == "\r" }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }
}
