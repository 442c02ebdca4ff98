import Support

/// The byte range of a 206 response (RFC 9110 §14.4).
public struct ContentRange: Sendable, Hashable {
    public let first: Int
    /// Inclusive.
    public let last: Int
    /// The length of the whole resource, if the server knows it.
    public let total: Int?

    /// Parses `bytes 100-199/200` or `bytes 100-199/*`; returns nil for other text or an impossible range.
    public init?(_ text: String) {
        guard let blank = text.firstIndex(of: " "), text[..<blank].lowercased() == "bytes" else { return nil }
        let halves = text[text.index(after: blank)...].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(digits: ends[0]), let last = Int(digits: ends[1]), first <= last,
            last < Int.max
        else { return nil }
        self.first = first
        self.last = last
        total = Int(digits: halves[1])
        guard halves[1] == "*" || total ?? 0 > last else { return nil }
    }

    /// Returns nil for a response without a range, or with several parts.
    public init?(_ headers: HTTPHeaders) {
        guard let text = headers.last("Content-Range") else { return nil }
        self.init(text)
    }
}
