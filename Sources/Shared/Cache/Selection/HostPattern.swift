/// A host, or with a leading dot a host and all below it. Upper and lower case are the same (RFC 4343).
public struct HostPattern: Sendable, Hashable {
    private let name: String
    private let includesBelow: Bool

    /// Nil for what cannot be a host: the empty text, a lone dot, or something with a slash or a blank.
    public init?(_ text: String) {
        includesBelow = text.hasPrefix(".")
        name = (includesBelow ? String(text.dropFirst()) : text).lowercased()
        if name.isEmpty || name.contains(where: { $0 == "/" || $0.isWhitespace }) { return nil }
    }

    /// Whether the host of `address` is meant; never for what has none.
    public func matches(_ address: String) -> Bool {
        guard let host = AddressParts(address).host?.lowercased() else { return false }
        return host == name || includesBelow && host.hasSuffix("." + name)
    }
}
