import Support

/// What an answer says about the quota of requests that it belongs to. Pure.
public struct QuotaReport: Sendable, Hashable {
    /// Requests a window.
    public var limit: Int?
    /// Requests that are left in the window.
    public var remaining: Int?
    /// The time until the server starts counting again.
    public var renewal: Duration?
    /// The length of the window.
    public var window: Duration?
    /// How long every request is refused: a 429 with `Retry-After`.
    public var refusal: Duration?

    public init(
        limit: Int? = nil, remaining: Int? = nil, renewal: Duration? = nil, window: Duration? = nil,
        refusal: Duration? = nil
    ) {
        self.limit = limit
        self.remaining = remaining
        self.renewal = renewal
        self.window = window
        self.refusal = refusal
    }

    /// Whether it says nothing at all.
    var isEmpty: Bool { self == QuotaReport() }

    /// Reads the fields of api.data.gov's gateway and many others (`X-RateLimit-…`), of RapidAPI
    /// (`X-RateLimit-Requests-…`) and of the IETF's drafts (`RateLimit-…`, draft-ietf-httpapi-ratelimit-headers). If
    /// there are several, the one with the fewest requests left counts.
    public init(_ response: HTTPResponse, now: Timestamp) {
        let headers = response.headers
        let all = ["RateLimit", "X-RateLimit-Requests", "X-RateLimit"].compactMap { name -> QuotaReport? in
            let report = QuotaReport(
                limit: Self.number(headers.last("\(name)-Limit")),
                remaining: Self.number(headers.last("\(name)-Remaining")),
                renewal: Self.number(headers.last("\(name)-Reset")).map { Self.span($0, now: now) },
                window: Self.window(headers.last("\(name)-Policy") ?? headers.last("\(name)-Limit")))
            return report.limit == nil && report.remaining == nil ? nil : report
        }
        self = all.min { ($0.remaining ?? .max) < ($1.remaining ?? .max) } ?? QuotaReport()
        if response.status == 429 { refusal = RetryAfter.duration(in: headers, now: now) }
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

    /// The `w` parameter of a policy: `1000;w=3600`, `"hourly";q=1000;w=3600`.
    private static func window(_ policy: String?) -> Duration? {
        let parameters = (policy ?? "").split { $0 == ";" || $0 == "," }.map { $0.filter { $0 != " " } }
        guard let text = parameters.first(where: { $0.hasPrefix("w=") }),
            let seconds = number(String(text.dropFirst(2)))
        else { return nil }
        return seconds > 0 ? .seconds(min(seconds, 31_536_000)) : nil
    }
}
