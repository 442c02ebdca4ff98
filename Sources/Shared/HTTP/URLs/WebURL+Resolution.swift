import Support

extension WebURL {
    /// Resolves a `reference` in a document or a `Location` field of this URL (RFC 3986 §5.2).
    ///
    /// The result inherits this URL's credentials if it has the same origin and no credentials. Throws `WebURLFailure`.
    public func resolving(_ reference: String) throws(WebURLFailure) -> WebURL {
        if reference.utf8.count > Self.byteLimit { throw .notAURL(text: reference, reason: .tooLong) }
        let bytes = Self.trimmed(reference).withSlashes
        if Self.endOfScheme(bytes[...]) != nil { return try WebURL(reference).inheritingCredentials(from: self) }
        if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw .notAURL(text: reference, reason: .controlCharacter)
        }
        if bytes.starts(with: Array("//".utf8)) {
            return try WebURL(scheme: scheme, afterSlashes: bytes[2...], text: reference)
                .inheritingCredentials(from: self)
        }
        let tail = Tail(bytes[...])
        var result = self
        result.fragment = tail.fragment
        if tail.path.isEmpty {
            result.query = tail.query ?? query
        } else {
            result.path = DotSegments.removed(from: tail.path.hasPrefix("/") ? tail.path : merged(with: tail.path))
            result.query = tail.query
        }
        return result
    }

    /// Appends a relative path after the last slash of this path (RFC 3986 §5.2.3).
    private func merged(with relative: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "/" + relative }
        return path[...slash] + relative
    }

    private func inheritingCredentials(from base: WebURL) -> WebURL {
        var result = self
        if credentials == nil, origin == base.origin { result.credentials = base.credentials }
        return result
    }
}
