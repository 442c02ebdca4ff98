import Support
import Testing

@testable import HTTP

@Suite struct QuotaReportTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func report(_ fields: KeyValuePairs<String, String>, status: Int = 200) throws -> QuotaReport {
        QuotaReport(
            HTTPResponse(status: status, headers: HTTPHeaders(fields), url: try WebURL("https://a.example/")), now: now)
    }

    @Test func fieldsOfNASAsGatewayAreParsed() throws {
        #expect(
            try report(["X-Ratelimit-Limit": "2000", "X-Ratelimit-Remaining": "1998"])
                == QuotaReport(limit: 2000, remaining: 1998))
        #expect(
            try report(["Retry-After": "2870", "X-Ratelimit-Limit": "2000", "X-Ratelimit-Remaining": "0"], status: 429)
                == QuotaReport(limit: 2000, remaining: 0, refusal: .seconds(2870)))
        // The gateway sends no reset time, and counts requests by the hour.
        #expect(
            try report(["X-Ratelimit-Limit": "2000", "X-Ratelimit-Remaining": "0"])
                == QuotaReport(limit: 2000, remaining: 0, refusal: .seconds(3600)))
    }

    @Test func fieldsOfRapidAPIAreParsed() throws {
        for (remaining, refusal) in [("499", nil), ("0", Duration.seconds(2_591_999))] {
            #expect(
                try report([
                    "X-RateLimit-Requests-Limit": "500", "X-RateLimit-Requests-Remaining": remaining,
                    "X-RateLimit-Requests-Reset": "2591999",
                ]) == QuotaReport(limit: 500, remaining: Int(remaining), refusal: refusal))
        }
    }

    @Test func fieldsOfTheIETFDraftsAreParsed() throws {
        for (remaining, refusal) in [("7", nil), ("0", Duration.seconds(12))] {
            #expect(
                try report([
                    "RateLimit-Limit": "100, 100;w=60", "RateLimit-Remaining": remaining, "RateLimit-Reset": "12",
                ])
                    == QuotaReport(limit: 100, remaining: Int(remaining), refusal: refusal))
        }
    }

    @Test func resetMayBeATimestamp() throws {
        for (reset, refusal) in [("1800000090", Duration.seconds(90)), ("1700000000", .zero)] {
            #expect(
                try report(["X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset])
                    == QuotaReport(limit: 60, remaining: 0, refusal: refusal))
        }
    }

    @Test func quotaWithTheFewestRequestsLeftApplies() throws {
        #expect(
            try report([
                "X-RateLimit-Limit": "1000", "X-RateLimit-Remaining": "900", "X-RateLimit-Requests-Limit": "50",
                "X-RateLimit-Requests-Remaining": "3",
            ]) == QuotaReport(limit: 50, remaining: 3))
    }

    @Test func retryAfterAloneIsARefusal() throws {
        #expect(try report(["Retry-After": "5"], status: 429) == QuotaReport(refusal: .seconds(5)))
        // A 503 means that the server is down, not that a quota is used up.
        #expect(try report(["Retry-After": "5"], status: 503) == QuotaReport())
    }

    @Test(arguments: ["", "many", "-1", "1e9", "٣", "0x10", "12monkeys"])
    func nonNumericFieldsAreIgnored(_ text: String) throws {
        #expect(try report(["X-RateLimit-Remaining": text]) == QuotaReport())
    }

    @Test func hugeNumbersAreLimited() throws {
        let digits = String(repeating: "9", count: 40)
        #expect(
            try report(["X-RateLimit-Limit": digits, "X-RateLimit-Remaining": digits, "X-RateLimit-Reset": digits])
                == QuotaReport(limit: 1_000_000_000_000, remaining: 1_000_000_000_000))
        #expect(
            try report(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": digits])
                == QuotaReport(remaining: 0, refusal: .seconds(31_536_000)))
    }
}

@Suite struct QuotaRefusalTests {
    @Test(arguments: [nil, 0, 2000]) func descriptionSurvivesARoundTrip(limit: Int?) {
        let refusal = QuotaRefusal(until: Timestamp(milliseconds: 1_800_000_000_000), limit: limit)
        #expect(QuotaRefusal(refusal.description) == refusal)
    }

    @Test func fieldsOfOtherVersionsAreIgnored() {
        let text = "limit=5 remaining=0 window=3600000 refused=1800000000000 count=5 answered=5 start=1 start=2 colour"
        #expect(QuotaRefusal(text) == QuotaRefusal(until: Timestamp(milliseconds: 1_800_000_000_000), limit: 5))
    }

    @Test(arguments: [
        "", "refused", "refused=", "refused=x", "refused=-1", "refused=9223372036854775807", "limit=5 remaining=0",
    ]) func textWithoutAValidTimeIsNotARefusal(_ text: String) {
        #expect(QuotaRefusal(text) == nil)
    }
}
