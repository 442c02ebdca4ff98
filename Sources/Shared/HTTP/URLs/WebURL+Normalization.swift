extension WebURL {
    /// The one text for all ways of writing this URL (RFC 3986 §6.2.2 and §6.2.3): without credentials, fragment,
    /// default port, dot segments and the host's final dot; escapes in upper case and only where they are needed.
    ///
    /// Reading it gives a URL whose description and `normalized` are the same text.
    public var normalized: String {
        let path = DotSegments.removed(from: PercentEncoding.normalized(self.path))
        let query = self.query.map { "?\(PercentEncoding.normalized($0))" } ?? ""
        return "\(origin)\(path.isEmpty ? "/" : path)\(query)"
    }
}
