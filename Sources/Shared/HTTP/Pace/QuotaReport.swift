import Support

/// The request quota that a response reports.
public struct QuotaReport: Sendable, Hashable {
    /// Requests per window.
    public var limit: Int?
    /// Requests left in the window.
    public var remaining: Int?
    /// The time until the server accepts requests again; nil if it accepts them now.
    public var refusal: Duration?

    /// The assumed length of a refusal without a reset time. api.data.gov never sends a reset time, and counts requests
    /// by the hour.
    static let usualRefusal = Duration.seconds(3600)
}

extension QuotaReport {
    /// Reads the fields of api.data.gov's gateway and many others (`X-RateLimit-…`), of RapidAPI
    /// (`X-RateLimit-Requests-…`) and of the IETF's drafts (`RateLimit-…`, draft-ietf-httpapi-ratelimit-headers). If
    /// there are several quotas, uses the quota with the fewest requests left. The `Retry-After` of a 429 takes
    /// precedence over the reset.
    public init(_ response: HTTPResponse, now: Timestamp) {
        self.init()
        func number(_ field: String) -> Int? { Self.number(response.headers.last(field)) }
        let names = ["X-RateLimit", "X-RateLimit-Requests", "RateLimit"]
        let name = names.min { number("\($0)-Remaining") ?? .max < number("\($1)-Remaining") ?? .max } ?? ""
        limit = number("\(name)-Limit")
        remaining = number("\(name)-Remaining")
        if response.status == 429 { refusal = response.headers.retryAfter(now: now) }
        if refusal == nil, remaining == 0 {
            refusal = number("\(name)-Reset").map { Self.span($0, now: now) } ?? Self.usualRefusal
        }
    }

    /// Parses the number at the beginning of the value, at most 10¹².
    private static func number(_ value: String?) -> Int? {
        let digits = (value ?? "").prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, ["", ",", ";", ".", " "].contains(value?.dropFirst(digits.count).prefix(1) ?? "") else {
            return nil
        }
        return min(Int(digits) ?? .max, 1_000_000_000_000)
    }

    /// Returns the time until a reset. Some servers send the reset in seconds from now, others in seconds since 1970.
    private static func span(_ seconds: Int, now: Timestamp) -> Duration {
        let year = 31_536_000
        guard seconds > 1_000_000_000 else { return .seconds(min(seconds, year)) }
        return min(max(Timestamp(milliseconds: Int64(seconds) * 1000) - now, .zero), .seconds(year))
    }
}
