import Records
import Support
import TestSupport
import Testing

/// The sample service imitates NASA's services and their failures; other tests rely on it.
struct SampleServiceTests {
    private static let science = "/wp-json/wp/v2/apod-basic"
    private static let api = "/planetary/apod"

    private static func classic() throws -> SampleServer {
        try SampleServer(["--legacy", "classic", "--today", "2026-11-21"])
    }

    private func ask(_ service: SampleServer, _ path: String, faults: [String] = []) throws -> LoopbackResponse {
        try LoopbackClient.send(
            service.url(path, faults: faults))
    }

    private func dates(_ response: LoopbackResponse) throws -> [String?] {
        try Record.list(parsing: response.body).map { $0.string("date") }
    }

    // MARK: Days

    @Test func pagesListAtMost25DaysNewestFirst() throws {
        let service = try Self.classic()
        let first = try ask(service, "\(Self.science)?per_page=100&date=2024-02-03")
        let newest = try #require(CalendarDay("2026-11-21"))
        let expected = (0..<25).map { Optional(newest.advanced(by: -$0).description) }
        #expect(try dates(first) == expected, "an unknown query field changed the answer")
        let second = try dates(ask(service, "\(Self.science)?per_page=10&page=2"))
        #expect(second.first == "2026-11-11" && second.count == 10)
        let total = try #require(first.header("X-WP-Total").flatMap { Int($0) })
        let pages = try #require(first.header("X-WP-TotalPages").flatMap { Int($0) })
        // The total excludes four gaps, and one day in each August, which was lost when NASA moved the service.
        let august = 2026 - 1995 + 1
        #expect(total == newest.daysSince1970 - 9297 + 1 - 4 - august)
        #expect(try dates(ask(service, "\(Self.science)?page=\(pages)")).last == "1995-06-16")
        #expect(try dates(ask(service, "\(Self.science)?page=\(pages + 1)")) == expected)
        let window = try ask(service, "\(Self.science)?date_from=200608&date_to=200612")
        #expect(try dates(window) == ["2020-06-12", "2020-06-11", "2020-06-09", "2020-06-08"])
    }

    @Test func missingDaysAreNotFoundAndBrokenDaysFail() throws {
        let service = try Self.classic()
        for day in ["950615", "950617", "950619", "200610", "240814", "261122"] {
            #expect(try ask(service, "\(Self.science)/\(day)").status == 404, "\(day)")
        }
        #expect(try ask(service, "\(Self.api)?date=2020-06-10").status == 404)
        #expect(try ask(service, "\(Self.api)?date=2024-08-14").status == 200)
        #expect(try ask(service, "\(Self.api)?date=2024-08-15").status == 500)
        #expect(try ask(service, "\(Self.api)?start_date=2024-08-15&end_date=2024-08-16").status == 500)
        try service.publishNextDay()
        #expect(try ask(service, "\(Self.science)/261122").status == 200)
        #expect(try dates(ask(service, Self.api)) == ["2026-11-22"])
    }

    @Test func textsAreAsLongAsNASAsTexts() throws {
        let service = try Self.classic()
        for month in ["2003-04", "2019-08"] {
            let range = "\(Self.api)?start_date=\(month)-01&end_date=\(month)-13"
            for record in try Record.list(parsing: ask(service, range).body) {
                let length = record.string("explanation")?.count ?? 0
                #expect((600...1200).contains(length), "\(length)")
            }
        }
        var identifiers: Set<Bool> = []
        for record in try Record.list(parsing: ask(service, "\(Self.science)?date_from=190801&date_to=190820").body) {
            let length = record.string("basic_html")?.utf8.count ?? 0
            #expect((8_000...12_000).contains(length), "\(length)")
            identifiers.insert(record.string("post_id") == nil)
        }
        #expect(identifiers == [true, false], "post_id must be a number in some answers and a string in others")
    }

    @Test func augustHasEveryKindOfMedia() throws {
        let service = try Self.classic()
        let page = try ask(service, "\(Self.science)?date_from=240801&date_to=240820")
        var html: [String: String] = [:]
        var hdurl: [String: String] = [:]
        for record in try Record.list(parsing: page.body) {
            let day = String(try #require(record.string("date")).suffix(2))
            html[day] = record.string("basic_html")
            hdurl[day] = record.string("hdurl")
        }
        let players = ["01": "vimeo.com", "02": ".mp4", "04": "-interactive.html", "06": ".mp3", "18": "\"//www.you"]
        for (day, word) in players { #expect(html[day]?.contains(word) == true, "\(day)") }
        for day in ["01", "02", "04", "18"] { #expect(hdurl[day]?.contains("news-thumbnail") == true, "\(day)") }
        for (day, word) in ["07": ".tif?", "10": ".mov", "11": " with blanks.jpg ", "13": ".html"] {
            #expect(hdurl[day]?.contains(word) == true, "\(day)")
        }
        let debris = try Record(parsing: ask(service, "\(Self.api)?date=2024-08-16").body)
        #expect(debris.string("title")?.contains("\r\nCredit:") == true)
        #expect(debris.string("explanation")?.hasPrefix("digg_url") == true)
    }

    // MARK: Faults

    @Test func faultsChangeTheJSONOfAResponse() throws {
        let service = try Self.classic()
        func day(_ faults: String..., path: String = "/planetary/apod?date=2024-02-03") throws -> String {
            String(decoding: try ask(service, path, faults: faults).body, as: UTF8.self)
        }
        #expect(try day("array").hasPrefix("[{"))
        let range = "\(Self.api)?start_date=2024-02-03&end_date=2024-02-05"
        #expect(try Record(parsing: Array(day("object", path: range).utf8)).string("date") == "2024-02-03")
        let missing = try Record.list(parsing: Array(day("missing-title", path: range).utf8))
        #expect(missing.count == 3 && missing.allSatisfy { !$0.has("title") && $0.has("explanation") })
        #expect(try day("null-date").contains("\"date\":null"))
        #expect(try day("upstream-200").hasPrefix("upstream connect error"))
        #expect(try ask(service, Self.api, faults: ["upstream-200"]).status == 200)
    }

    @Test func wrongDayFaultServesAnotherDay() throws {
        let service = try Self.classic()
        func dates(_ path: String) throws -> [String?] { try self.dates(ask(service, path, faults: ["wrong-day"])) }
        #expect(try dates("\(Self.api)?date=2024-03-01") == ["2024-02-29"])
        #expect(try dates("\(Self.science)/240301") == ["2024-02-29"])
        #expect(
            try dates("\(Self.science)?date_from=240301&date_to=240302&per_page=25") == ["2024-03-01", "2024-02-29"])
    }

    @Test func sizeFaultEnlargesAnAnswer() throws {
        let service = try Self.classic()
        // The response has 3 MB, in chunks.
        let response = try ask(service, "\(Self.api)?date=2024-02-03", faults: ["json-3mb"])
        #expect(response.header("Transfer-Encoding") == "chunked")
        let body = unchunked(response.body)
        #expect((3_000_000..<3_200_000).contains(body.count))
        let records = try Record.list(parsing: body)
        #expect(records.count > 1000 && records.allSatisfy { $0.string("date") == "2024-02-03" })
    }

    private func unchunked(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        var body: [UInt8] = []
        while let end = rest.firstIndex(of: 13),
            let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), size > 0
        {
            let start = end + 2
            body += rest[start..<start + size]
            rest = rest[(start + size + 2)...]
        }
        return body
    }

    @Test func rateLimitCountsDownAndThenRefuses() throws {
        let service = try Self.classic()
        let days = ["2024-02-03", "2024-02-04", "2024-02-05"]
        let answers = try days.map { try ask(service, "\(Self.api)?date=\($0)", faults: ["ratelimit-10-2"]) }
        #expect(answers.map(\.status) == [200, 200, 429])
        #expect(answers.map { $0.header("X-RateLimit-Limit") } == ["10", "10", "10"])
        #expect(answers.map { $0.header("X-RateLimit-Remaining") } == ["1", "0", "0"])
        #expect(answers.last?.header("Retry-After").flatMap { Int($0) }.map { (2860...2870).contains($0) } == true)
        // With a period of zero, the count restarts for each request.
        for _ in 0..<3 { #expect(try ask(service, Self.api, faults: ["ratelimit-10-1-0"]).status == 200) }
        try service.reset()
        #expect(try ask(service, "\(Self.api)?date=2024-02-03", faults: ["ratelimit-10-2"]).status == 200)
    }
}
