import Support

/// The quota of requests that an answer reports. Pure.
public struct QuotaReport: Sendable, Hashable {
    /// Requests a window.
    public var limit: Int?
    /// Requests that are left in the window.
    public var remaining: Int?
    /// The time until the server takes requests again; nil if it takes them now.
    public var refusal: Duration?

    /// The refusal of a server with no requests left that does not name the time of the reset. api.data.gov, which
    /// names none, counts by the hour.
    static let usualRefusal = Duration.seconds(3600)
}

extension QuotaReport {
    /// Reads the fields of api.data.gov's gateway and many others (`X-RateLimit-…`), of RapidAPI
    /// (`X-RateLimit-Requests-…`) and of the IETF's drafts (`RateLimit-…`, draft-ietf-httpapi-ratelimit-headers). If
    /// there are several, the scarcest quota counts. The `Retry-After` of a 429 precedes the reset.
    public init(_ response: HTTPResponse, now: Timestamp) {
        self.init()
        func number(_ field: String) -> Int? { Self.number(response.headers.last(field)) }
        let names = ["X-RateLimit", "X-RateLimit-Requests", "RateLimit"]
        let name = names.min { number("\($0)-Remaining") ?? .max < number("\($1)-Remaining") ?? .max } ?? ""
        limit = number("\(name)-Limit")
        remaining = number("\(name)-Remaining")
        if response.status == 429 { refusal = RetryAfter.duration(in: response.headers, now: now) }
        if refusal == nil, remaining == 0 {
            refusal = number("\(name)-Reset").map { Self.span($0, now: now) } ?? Self.usualRefusal
        }
    }

    /// The number at the beginning of the value, at most 10¹².
    private static func number(_ value: String?) -> Int? {
        let digits = (value ?? "").prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, ["", ",", ";", ".", " "].contains(value?.dropFirst(digits.count).prefix(1) ?? "") else {
            return nil
        }
        return min(Int(digits) ?? .max, 1_000_000_000_000)
    }

    /// The time until a reset, which some servers give in seconds from now, others as a time in seconds since 1970.
    private static func span(_ seconds: Int, now: Timestamp) -> Duration {
        let year = 31_536_000
        guard seconds > 1_000_000_000 else { return .seconds(min(seconds, year)) }
        return min(max(Timestamp(milliseconds: Int64(seconds) * 1000) - now, .zero), .seconds(year))
    }
}
