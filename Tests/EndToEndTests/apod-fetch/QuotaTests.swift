import Records
import Support
import TestSupport
import Testing

/// A service that limits the number of requests and reports how many remain.
struct QuotaTests {
    /// Answers any day. After `limit` requests it refuses all requests for an hour.
    private final class Service: Sendable {
        private let count = Monitor(0)
        private let server: LoopbackServer

        init(limit: Int) throws {
            server = try LoopbackServer { [count] request in
                let number = count.update { count in
                    count += 1
                    return count
                }
                var response = ClassicDay.response
                if number > limit {
                    response = .text("OVER_RATE_LIMIT", status: 429)
                    response.set("Retry-After", "3600")
                } else if let day = request.field("date") {
                    response = .json(ClassicDay.json.replacing(ClassicDay.day, with: day))
                }
                response.set("X-RateLimit-Limit", "\(limit)")
                response.set("X-RateLimit-Remaining", "\(max(limit - number, 0))")
                return response
            }
        }

        var requests: Int { count.withLock { $0 } }

        func home() throws -> ToolHome {
            try ToolHome(environment: [
                "APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8", "APOD_API_URL": "\(server.address)/apod",
            ])
        }
    }

    private func fetch(_ home: ToolHome, _ days: [Int], _ options: String...) throws -> ToolOutput {
        let days = days.flatMap { ["--date", "2024-02-\($0 < 10 ? "0" : "")\($0)"] }
        return try home.run(
            "apod-fetch", ["APOD_TOOLS_SERVICE=api", "APOD_TOOLS_RETRIES=0", "--jobs", "1"] + options + days)
    }

    @Test func exhaustedQuotaIsReportedAndStopsRequests() throws {
        let service = try Service(limit: 5)
        let home = try service.home()
        // The days are not consecutive, so each causes a request.
        for day in [1, 5, 9, 13, 17] {
            let output = try fetch(home, [day], "-v").expect(0)
            #expect(output.stderr.contains("of 5 requests left"), "\(output)")
        }
        let output = try fetch(home, [21])
        let record = try output.expectFailure(75, code: "rate-limited", tool: "apod-fetch")
        let message = try #require(record.string("error.message"))
        #expect(message.contains("limit 5 an hour") && message.contains("minutes"), "\(message)")
        #expect(service.requests == 5)
    }

    @Test func rateLimitIsSharedOnlyWithinARoot() throws {
        let service = try Service(limit: 0)
        let home = try service.home()
        try fetch(home, [1]).expectFailure(75, code: "rate-limited", tool: "apod-fetch")
        try fetch(home, [2]).expectFailure(75, code: "rate-limited", tool: "apod-fetch")
        #expect(service.requests == 1)
        try fetch(try service.home(), [3]).expectFailure(75, code: "rate-limited", tool: "apod-fetch")
        #expect(service.requests == 2)
        try fetch(home, [4], "--policy", "disabled").expect(75)
        #expect(service.requests == 3)
    }
}
