import Support

extension WebURL {
    /// Parses an absolute URL (RFC 3986 §3) leniently: drops white space around the URL, encodes white space and other
    /// invalid characters inside it, and treats a backslash before the query as a slash. The user and password end at
    /// the last `@` of the authority. Throws `WebURLFailure` for an invalid or unsupported URL.
    public init(_ text: String) throws(WebURLFailure) {
        if text.utf8.count > Self.byteLimit { throw .notAURL(text: text, reason: .tooLong) }
        let bytes = Self.trimmed(text).withSlashes
        if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw .notAURL(text: text, reason: .controlCharacter) }
        guard let colon = Self.endOfScheme(bytes[...]) else { throw .notAURL(text: text, reason: .noScheme) }
        let name = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        guard let scheme = Scheme(rawValue: name) else {
            if Self.looksLikeHostAndPort(name, bytes[(colon + 1)...]) { throw .notAURL(text: text, reason: .noScheme) }
            throw .blockedScheme(of: text)
        }
        guard bytes[(colon + 1)...].starts(with: "//".utf8) else {
            throw .notAURL(text: text, reason: .noAuthority)
        }
        try self.init(scheme: scheme, afterSlashes: bytes[(colon + 3)...], text: text)
    }

    /// Parses everything after `//`.
    init(scheme: Scheme, afterSlashes rest: ArraySlice<UInt8>, text: String) throws(WebURLFailure) {
        let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        var authority = rest[..<end]
        self.scheme = scheme
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            credentials = Self.credentials(authority[..<at])
            authority = authority[(at + 1)...]
        }
        let (host, port) = try Self.splitPort(authority)
        if host.isEmpty { throw .notAURL(text: text, reason: .noHost) }
        if let port, !port.isEmpty {
            guard port.count <= 5, let number = Int(digits: String(decoding: port, as: UTF8.self)),
                (1...65535).contains(number)
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
        private(set) var query: String?
        private(set) var fragment: String?

        init(_ bytes: ArraySlice<UInt8>) {
            var rest = bytes
            if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
                fragment = PercentEncoding.encoded(rest[(hash + 1)...], in: .fragment)
                rest = rest[..<hash]
            }
            if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
                query = PercentEncoding.encoded(rest[(mark + 1)...], in: .query)
                rest = rest[..<mark]
            }
            path = PercentEncoding.encoded(rest, in: .path)
        }
    }

    /// Removes ASCII white space at both ends.
    static func trimmed(_ text: String) -> [UInt8] {
        Array(Array(text.utf8).trimming { $0 == 0x20 || (0x09...0x0D).contains($0) })
    }

    /// Returns the index of the colon after a scheme (RFC 3986 §3.1).
    static func endOfScheme(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first, first.isLetter, let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let isScheme = bytes[..<colon].allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
        return isScheme ? colon : nil
    }

    /// Whether the text looks like `example.org:8080/x`, which begins with a server rather than a scheme.
    private static func looksLikeHostAndPort(_ name: String, _ rest: ArraySlice<UInt8>) -> Bool {
        if name.contains(".") { return true }
        let port = rest.prefix { $0 != UInt8(ascii: "/") }
        return !port.isEmpty && port.count <= 5 && port.allSatisfy(\.isDigit)
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

    /// Splits host and port. Brackets stay with the host. Throws `WebURLFailure.blockedHost` for invalid brackets.
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

    /// Returns an `https` address for a text without a scheme, such as `example.org/m31.jpg`. Returns nil unless the
    /// text begins with a domain and has a path.
    public static func address(withoutScheme text: String) -> String? {
        let bytes = text.utf8
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let labels = bytes[..<slash].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count > 1, !labels.contains(where: \.isEmpty), let top = labels.last, top.count > 1,
            top.allSatisfy(\.isLetter), bytes.index(after: slash) != bytes.endIndex
        else { return nil }
        let address = "https://" + text
        return (try? WebURL(address)) == nil ? nil : address
    }
}
