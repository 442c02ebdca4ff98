import Support

extension WebURL {
    /// Reads an absolute URL (RFC 3986 §3), as leniently as people write them: blanks around it are dropped; blanks and
    /// other invalid characters inside it are encoded; a backslash before the query is a slash. The user comes before the
    /// last `@` of the authority.
    /// Throws `WebURLFailure` if the text is no URL, or one that the tools do not open.
    public init(_ text: String) throws(WebURLFailure) {
        if text.utf8.count > Self.byteLimit { throw .notAURL(text: text, reason: .tooLong) }
        let bytes = Self.trimmed(text).withSlashes
        if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw .notAURL(text: text, reason: .controlCharacter)
        }
        guard let colon = Self.endOfScheme(bytes[...]) else { throw .notAURL(text: text, reason: .noScheme) }
        let name = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        guard let scheme = Scheme(rawValue: name) else {
            if Self.looksLikeHostAndPort(name, bytes[(colon + 1)...]) {
                throw .notAURL(text: text, reason: .noScheme)
            }
            throw .blockedScheme(of: text)
        }
        guard bytes[(colon + 1)...].starts(with: "//".utf8) else {
            throw .notAURL(text: text, reason: .noAuthority)
        }
        try self.init(scheme: scheme, afterSlashes: bytes[(colon + 3)...], text: text)
    }

    /// Reads authority, path, query and fragment: all that follows `//`.
    init(scheme: Scheme, afterSlashes rest: ArraySlice<UInt8>, text: String) throws(WebURLFailure) {
        let end =
            rest.firstIndex {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
            } ?? rest.endIndex
        var authority = rest[..<end]
        self.scheme = scheme
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            credentials = Self.credentials(authority[..<at])
            authority = authority[(at + 1)...]
        }
        let (host, port) = try Self.splitPort(authority)
        if host.isEmpty { throw .notAURL(text: text, reason: .noHost) }
        if let port, !port.isEmpty {
            guard port.count <= 5, port.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
                let number = Int(String(decoding: port, as: UTF8.self)), (1...65535).contains(number)
            else { throw .notAURL(text: text, reason: .badPort) }
            explicitPort = number
        }
        let parsed = try Host.parse(host)
        self.host = parsed.text
        address = parsed.address
        let tail = Tail(rest[end...])
        path = tail.path
        query = tail.query
        fragment = tail.fragment
    }

    /// Path, query and fragment, encoded.
    struct Tail {
        let path: String
        let query: String?
        let fragment: String?

        init(_ bytes: ArraySlice<UInt8>) {
            var rest = bytes
            if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
                fragment = PercentEncoding.encoded(rest[(hash + 1)...], in: .fragment)
                rest = rest[..<hash]
            } else {
                fragment = nil
            }
            if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
                query = PercentEncoding.encoded(rest[(mark + 1)...], in: .query)
                rest = rest[..<mark]
            } else {
                query = nil
            }
            path = PercentEncoding.encoded(rest, in: .path)
        }
    }

    /// The text's bytes without ASCII blanks and line breaks around them.
    static func trimmed(_ text: String) -> [UInt8] {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        var bytes = Array(text.utf8)[...]
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return Array(bytes)
    }

    /// Where the colon after a scheme is (RFC 3986 §3.1); nil if there is none.
    static func endOfScheme(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first, isLetter(first), let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let isScheme = bytes[..<colon].allSatisfy {
            isLetter($0) || ($0 >= 0x30 && $0 <= 0x39) || "+-.".utf8.contains($0)
        }
        return isScheme ? colon : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte & ~0x20)
    }

    /// Whether the text is like `example.org:8080/x`, which means a server rather than a scheme.
    private static func looksLikeHostAndPort(_ name: String, _ rest: ArraySlice<UInt8>) -> Bool {
        if name.contains(".") { return true }
        let port = rest.prefix { $0 != UInt8(ascii: "/") }
        return !port.isEmpty && port.count <= 5 && port.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    }

    private static func credentials(_ userinfo: ArraySlice<UInt8>) -> Credentials? {
        guard !userinfo.isEmpty else { return nil }
        let colon = userinfo.firstIndex(of: UInt8(ascii: ":"))
        let user = userinfo[..<(colon ?? userinfo.endIndex)]
        let password = colon.map { userinfo[($0 + 1)...] } ?? []
        return Credentials(
            user: String(decoding: PercentEncoding.decoded(user), as: UTF8.self),
            password: String(decoding: PercentEncoding.decoded(password), as: UTF8.self))
    }

    /// The host, and what follows the colon, if there is one. Brackets stay with the host. Throws
    /// `WebURLFailure.blockedHost` for wrong brackets.
    private static func splitPort(
        _ authority: ArraySlice<UInt8>
    ) throws(WebURLFailure) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>?) {
        var refused: WebURLFailure { .blockedHost(String(decoding: authority, as: UTF8.self)) }
        if authority.first == UInt8(ascii: "[") {
            guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else { throw refused }
            let rest = authority[(close + 1)...]
            if rest.isEmpty { return (authority, nil) }
            guard rest.first == UInt8(ascii: ":") else { throw refused }
            return (authority[...close], rest.dropFirst())
        }
        guard let colon = authority.firstIndex(of: UInt8(ascii: ":")) else { return (authority, nil) }
        return (authority[..<colon], authority[(colon + 1)...])
    }
}
