import Support

extension WebURL {
    /// Removes the query items with these names. The other items keep their bytes. Removes the `?` if no item is left.
    public func removingQueryItems(named names: Set<String>) -> WebURL {
        keepingItems { item in
            let name = Array(item.prefix { $0 != "=" }.utf8)
            return !names.contains(String(decoding: PercentEncoding.decoded(name[...], isForm: true), as: UTF8.self))
        }
    }

    /// The URL without query items that are probably secrets. Secrets in the path stay.
    public var withoutSecrets: WebURL {
        keepingItems { !AddressSecrets.isSecret(name: $0.prefix { $0 != "=" }) && !AddressSecrets.areIn("://?\($0)") }
    }

    /// Whether a parameter in path or query is probably a secret.
    public var hasSecrets: Bool { AddressSecrets.areIn(description) }

    public func appendingQueryItem(_ name: String, _ value: String) -> WebURL {
        var result = self
        let item = "\(PercentEncoding.encodedValue(name))=\(PercentEncoding.encodedValue(value))"
        if let query, !query.isEmpty { result.query = "\(query)&\(item)" } else { result.query = item }
        return result
    }

    /// The URL for the index, documents and messages: without credentials and fragment, and with `***` for secret
    /// values.
    public var redacted: String {
        var result = self
        result.fragment = nil
        return AddressSecrets.replacing(in: result.description) { _ in AddressSecrets.mark }
    }

    /// Returns the `redacted` form of an address that has a secret parameter, or a fragment with a `=`. Returns any
    /// other address without user and password.
    public static func withoutSecrets(_ text: String) -> String {
        if text.utf8.contains(UInt8(ascii: "=")), let url = try? WebURL(text),
            url.hasSecrets || url.fragment?.contains("=") == true
        {
            return url.redacted
        }
        guard let user = user(in: text) else { return text }
        return String(text[..<user.startIndex] + text[text.index(after: user.endIndex)...])
    }

    /// Returns the secrets in an address: user and password before the host's `@`, and the values of secret parameters.
    public static func secrets(in text: String) -> [Substring] {
        [user(in: text)].compactMap(\.self) + AddressSecrets.values(in: text)
    }

    /// Returns user and password of an address, between `://` and the host's `@`.
    private static func user(in text: String) -> Substring? {
        guard let authority = text.slashesOfAuthority?.upperBound else { return nil }
        let end = text.utf8[authority...].firstIndex { "/?#\\".utf8.contains($0) } ?? text.endIndex
        return text.utf8[authority..<end].lastIndex(of: UInt8(ascii: "@")).map { text[authority..<$0] }
    }

    private func keepingItems(_ isKept: (Substring) -> Bool) -> WebURL {
        guard let query, !query.isEmpty else { return self }
        let items = query.split(separator: "&", omittingEmptySubsequences: false)
        let kept = items.filter(isKept)
        guard kept.count < items.count else { return self }
        var result = self
        result.query = kept.isEmpty ? nil : kept.joined(separator: "&")
        return result
    }

}
