extension WebURL {
    /// The same URL without the query items of these names; the others keep their bytes. If no item is left, the `?`
    /// goes, too.
    public func removingQueryItems(named names: Set<String>) -> WebURL {
        keepingItems { !names.contains($0) }
    }

    /// The same URL without query items that are likely secrets, as for a cache key.
    public var withoutSecrets: WebURL { keepingItems { !Self.isSecret(queryName: $0) } }

    /// The same URL with one more query item at the end.
    public func appendingQueryItem(_ name: String, _ value: String) -> WebURL {
        var result = self
        let item = "\(PercentEncoding.encodedValue(name))=\(PercentEncoding.encodedValue(value))"
        if let query, !query.isEmpty { result.query = "\(query)&\(item)" } else { result.query = item }
        return result
    }

    /// The URL as messages show it: no credentials, no fragment, and `***` for the values of secret query items.
    public var redacted: String {
        var result = self
        result.fragment = nil
        guard query != nil else { return result.description }
        let items = rawItems.map { item in
            guard let equals = item.firstIndex(of: "="), Self.isSecret(queryName: Self.decodedItem(item[..<equals]))
            else { return String(item) }
            return item[...equals] + "***"
        }
        result.query = items.joined(separator: "&")
        return result.description
    }

    /// An address as the user wrote it, unless it holds a secret: then as `redacted` shows it. If it cannot be read as
    /// a URL, everything before the host's `@` is removed.
    public static func withoutSecrets(_ text: String) -> String {
        if let url = try? WebURL(text), url.redacted != url.withoutFragment { return url.redacted }
        guard let authority = authority(in: text) else { return text }
        let end = text[authority...].firstIndex { "/?#\\".contains($0) } ?? text.endIndex
        guard let at = text[authority..<end].lastIndex(of: "@") else { return text }
        return String(text[..<authority] + text[text.index(after: at)...])
    }

    /// The parts of a text that are secret if it is, or contains, an address: user and password before the
    /// host's `@`, and the values of secret query items.
    public static func secrets(in text: String) -> [Substring] {
        guard let authority = authority(in: text) else { return [] }
        let end = text[authority...].firstIndex { "/?#\\".contains($0) } ?? text.endIndex
        var secrets: [Substring] = []
        if let at = text[authority..<end].lastIndex(of: "@") { secrets.append(text[authority..<at]) }
        guard let mark = text[end...].firstIndex(of: "?") else { return secrets }
        let query = text[text.index(after: mark)...].prefix { $0 != "#" }
        for item in query.split(separator: "&") {
            guard let equals = item.firstIndex(of: "="), isSecret(queryName: decodedItem(item[..<equals])) else {
                continue
            }
            secrets.append(item[item.index(after: equals)...])
        }
        return secrets
    }

    /// The place after the first `://`. Fast, as it is called for every argument of every run.
    private static func authority(in text: String) -> String.Index? {
        var rest = text.utf8[...]
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            rest = rest[colon...]
            if rest.starts(with: "://".utf8) { return rest.index(colon, offsetBy: 3) }
            rest.removeFirst()
        }
        return nil
    }

    private var withoutFragment: String {
        var result = self
        result.fragment = nil
        return result.description
    }

    /// Whether a query item of that name probably holds a key, a token, a password or a signature.
    public static func isSecret(queryName name: String) -> Bool {
        let name = name.lowercased()
        let parts = [
            "token", "signature", "secret", "passw", "pwd", "credential", "auth", "jwt", "hmac", "accesskey",
        ]
        if name.hasSuffix("apikey") || parts.contains(where: name.contains) { return true }
        // `user_pass` and `x-key`, but neither `keyword` nor `passage`.
        let last = name.split { !$0.isLetter && !$0.isNumber }.last ?? ""
        return ["sig", "key", "pass"].contains(last)
    }

    private var rawItems: [Substring] {
        guard let query, !query.isEmpty else { return [] }
        return query.split(separator: "&", omittingEmptySubsequences: false)
    }

    private func keepingItems(_ isKept: (String) -> Bool) -> WebURL {
        let items = rawItems
        let kept = items.filter { isKept(Self.decodedItem($0.prefix { $0 != "=" })) }
        guard kept.count < items.count else { return self }
        var result = self
        result.query = kept.isEmpty ? nil : kept.joined(separator: "&")
        return result
    }

    private static func decodedItem(_ text: Substring) -> String {
        let bytes = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(decoding: PercentEncoding.decoded(bytes[...]), as: UTF8.self)
    }
}
