import Support

/// A host, or with a leading dot a host and all below it. Upper and lower case are the same (RFC 4343), and so are all
/// ways to write a name beyond ASCII.
public struct HostPattern: Sendable, Hashable {
    private let name: String
    private let includesBelow: Bool

    /// Nil for what cannot be a host: the empty text, a lone dot, or something with a slash or a blank. Throws
    /// `UnmappedName` for a name beyond ASCII if libidn2 is missing.
    public init?(_ text: String) throws(UnmappedName) {
        includesBelow = text.hasPrefix(".")
        guard let name = try InternationalName.ascii(includesBelow ? String(text.dropFirst()) : text) else {
            return nil
        }
        self.name = name
        if name.isEmpty || name.contains(where: { $0 == "/" || $0.isWhitespace }) { return nil }
    }

    /// Whether the host of `address` is meant; never for what has none, such as most keys of the user's own.
    public func matches(_ address: String) -> Bool {
        guard let host = Self.host(of: address)?.lowercased() else { return false }
        return host == name || includesBelow && host.hasSuffix("." + name)
    }

    /// The host as it stands in a text (RFC 3986 §3.2), without user name, port, and brackets of an IPv6 address.
    private static func host(of address: String) -> Substring? {
        guard let colon = address.firstIndex(of: ":"), address[colon...].hasPrefix("://") else { return nil }
        let authority = address[colon...].dropFirst(3).prefix { !"/?#".contains($0) }
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return place.hasPrefix("[") ? place.dropFirst().prefix { $0 != "]" } : place.prefix { $0 != ":" }
    }
}
