import Support

/// The `Retry-After` field (RFC 9110 §10.2.3).
enum RetryAfter {
    /// How long the server asks to wait: a number of seconds, or the time until a date; at least zero. Nil if there is
    /// no such field or it says neither.
    static func duration(in headers: HTTPHeaders, now: Timestamp) -> Duration? {
        guard let value = headers.last("Retry-After") else { return nil }
        let text = value.drop { $0 == " " }
        if !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            // A number that is too large is a year or more in any case.
            return .seconds(min(Int64(text) ?? .max, 31_536_000))
        }
        guard let date = HTTPDate.timestamp(String(text)) else { return nil }
        return max(date - now, .zero)
    }
}
