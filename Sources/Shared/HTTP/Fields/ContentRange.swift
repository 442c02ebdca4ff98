/// Which bytes of a representation a 206 holds (RFC 9110 §14.4).
public struct ContentRange: Sendable, Hashable {
    public let first: Int
    /// The last byte's number, so that one byte has `first == last`.
    public let last: Int
    /// How many bytes the whole has; nil if the server does not know.
    public let total: Int?

    /// Reads `bytes 100-199/200` or `bytes 100-199/*`; nil for anything else, including an impossible range.
    public init?(_ text: String) {
        guard let blank = text.firstIndex(of: " "), text[..<blank].lowercased() == "bytes" else { return nil }
        let halves = text[text.index(after: blank)...].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            last < Int.max
        else { return nil }
        self.first = first
        self.last = last
        if halves[1] == "*" {
            total = nil
        } else {
            guard let total = Self.number(halves[1]), last < total else { return nil }
            self.total = total
        }
    }

    /// The range of an answer; nil if it has none, or several parts.
    public init?(_ headers: HTTPHeaders) {
        guard let text = headers.last("Content-Range") else { return nil }
        self.init(text)
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int(text) : nil
    }
}
