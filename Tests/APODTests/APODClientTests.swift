import HTTP
import Support
import Testing

@testable import APOD

@Suite struct APODClientTests {
    private func outage(_ service: Service) throws -> FakeNASA.Reply {
        .failure(FetchFailure.connectionFailed(url: try WebURL(FakeNASA.scienceBase), detail: "\(service) is down"))
    }

    // MARK: Addresses and the key

    @Test func requestURLsMatchTheService() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        _ = try nasa.client(.science).results(.day(day("1999-02-03")))
        _ = try nasa.client(.science).results(.range(start: day("2001-02-03"), end: day("2001-02-04")))
        _ = try nasa.client(.api).results(.day(day("1999-02-03")))
        _ = try nasa.client(.api).results(.range(start: day("2001-02-03"), end: day("2001-02-04")))
        #expect(
            nasa.sent.map(\.url.description) == [
                "https://science.example.org/wp-json/apod-basic/990203",
                "https://science.example.org/wp-json/apod-basic?date_from=010203&date_to=010204&per_page=25&page=1",
                "https://api.example.org/planetary/apod?date=1999-02-03&thumbs=true",
                "https://api.example.org/planetary/apod?start_date=2001-02-03&end_date=2001-02-04&thumbs=true",
            ])
    }

    @Test(arguments: [(ServiceChoice.auto, true, ["science", "api"]), (.auto, false, ["science"])])
    func classicServerIsUsedOnlyIfConfigured(_ choice: ServiceChoice, _ isNamed: Bool, _ asked: [String]) throws {
        let nasa = FakeNASA { ask in ask.service == .science ? FakeNASA.notFound : .ok(legacyAnswer("2020-01-01").line)
        }
        let results = try nasa.client(choice, hasClassic: isNamed).results(.day(day("2020-01-01")))
        #expect((results.first?.picture?.service == .api) == isNamed)
        #expect(nasa.asked.map(\.service.rawValue) == asked)
        #expect(nasa.sent.allSatisfy { $0.headers.map(\.name) == ["Accept"] })
    }

    @Test func orderOfServicesDependsOnTheChoiceAndTheClassicServer() {
        for (choice, without, with) in [
            (ServiceChoice.auto, [Service.science], [Service.science, .api]), (.science, [.science], [.science]),
            (.api, [.api], [.api]),
        ] {
            #expect(choice.order(hasClassic: false) == without)
            #expect(choice.order(hasClassic: true) == with)
        }
    }

    // MARK: Single days

    @Test func publishedDayTakesASingleRequest() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let result = try nasa.client().results(.day(day("2026-11-20")))
        #expect(result.first?.picture?.service == .science)
        #expect(nasa.asked == [.day(.science, day("2026-11-20"))])
    }

    @Test func futureDayIsRefusedWithoutARequest() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let client = try nasa.client()
        #expect(throws: UsageFailure.self) { try client.pictures(.day(day("2026-11-22"))) }
        #expect(nasa.asked.isEmpty)
    }

    @Test func dayThatNeverHadAPictureFailsWithoutARequest() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let results = try nasa.client().results(.day(day("2020-06-10")))
        #expect(results.map(\.day) == [day("2020-06-10")])
        #expect(results.first?.record(tool: "apod-fetch").string("error.code") == "no-picture")
        #expect(nasa.asked.isEmpty)
    }

    @Test(
        arguments: [
            (FakeNASA.Reply.ok("<html>Sign in\u{1B}[2J"), "<html>Sign in"),
            (.status(503, "upstream connect error"), "upstream connect error"),
            (.ok(legacyAnswer("2026-11-18", ["title": nil]).line), "{\"date\":"), (.ok(""), "answered nothing"),
        ] as [(FakeNASA.Reply, String)])
    func unusableAnswerIsQuotedInTheLog(reply: FakeNASA.Reply, words: String) throws {
        let nasa = FakeNASA { _ in reply }
        let lines = Lines()
        _ = try nasa.client(.api, log: lines.log).results(.day(day("2026-11-18")))
        #expect(lines.all.contains { $0.contains(words) })
        #expect(!lines.all.contains { $0.contains("\u{1B}") })
    }

    @Test(arguments: [200, 404, 400]) func errorMessageOfTheServiceIsQuoted(status: Int) throws {
        let body = #"{"message":"Your request failed.","error":"No APOD imagery for your date."}"#
        let nasa = FakeNASA { _ in .status(status, body) }
        let failure = try nasa.client(.api).results(.day(day("2026-11-18"))).first?.failure
        #expect(failure?.code == "refused")
        #expect(failure?.message.contains("\"Your request failed. No APOD imagery for your date.\"") == true)
        #expect(failure?.message.contains("status \(status)") == true)
    }

    @Test(arguments: [ServiceChoice.science, .api]) func pictureWithoutAnExplanationIsReturned(
        _ choice: ServiceChoice
    )
        throws
    {
        let answer = choice == .api ? legacyAnswer : scienceAnswer
        let nasa = FakeNASA { _ in .ok(answer("2026-11-18", ["explanation": .null]).line) }
        let result = try nasa.client(choice).results(.day(day("2026-11-18"))).first
        #expect(result?.picture != nil && result?.record.string("explanation") == "")
    }

    @Test func oldServiceIsUsedIfTheNewServiceFails() throws {
        let outage = try outage(.science)
        for reply in [
            outage, .status(500, ""), .ok("<html>"), FakeNASA.notFound, .ok(scienceAnswer("2001-01-01").line),
        ] {
            let nasa = FakeNASA.complete(through: "2026-11-20") { $0.service == .science ? reply : nil }
            let result = try nasa.client().results(.day(day("2026-11-18")))
            #expect(result.first?.picture?.service == .api)
            // Ignores the request for the newest day, which is sent because a recent missing day may be unpublished.
            #expect(nasa.asked.filter { $0 != .newest(1) }.map(\.service) == [.science, .api])
        }
    }

    @Test func onlyTheChosenServiceReceivesRequests() throws {
        let nasa = FakeNASA { _ in .status(503, "down") }
        #expect(try nasa.client(.science).results(.day(day("2026-11-18"))).first?.failure?.code == "server-error")
        #expect(try nasa.client(.api).results(.day(day("2026-11-18"))).first?.failure?.code == "server-error")
        #expect(nasa.asked.map(\.service) == [.science, .api])
    }

    @Test func transientFailureOfTheNewServiceIsReportedInsteadOfTheOldServicesLogo() throws {
        let outage = try outage(.science)
        let nasa = FakeNASA { ask in ask.service == .science ? outage : .ok(logoAnswer("2026-11-18").line) }
        let failure = try #require(try nasa.client().results(.day(day("2026-11-18"))).first?.failure)
        #expect(failure.isTransient)
        #expect(failure.exitCode == .temporary)
        #expect(failure.message.contains("science is down"))
    }

    @Test func placeholdersFromBothServicesCauseAStandInFailure() throws {
        let lost = scienceAnswer("2026-11-18", ["hdurl": .string(placeholder), "basic_html": nil]).line
        let nasa = FakeNASA { ask in ask.service == .science ? .ok(lost) : .ok(logoAnswer("2026-11-18").line) }
        let failure = try #require(try nasa.client().results(.day(day("2026-11-18"))).first?.failure)
        #expect(
            failure as? APODFailure
                == .standIn(.placeholder, day("2026-11-18"), Server(.science, at: try WebURL(FakeNASA.scienceBase))))
    }

    @Test func unpublishedDayIsNotRequestedFromTheOldService() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let result = try nasa.client().results(.day(day("2026-11-21")))
        #expect(result.first?.failure?.code == "not-published")
        #expect(nasa.asked == [.day(.science, day("2026-11-21"))])
    }

    @Test(arguments: ServiceChoice.allCases)
    func cancelledRequestIsNotFollowedByAnother(_ choice: ServiceChoice) throws {
        let nasa = FakeNASA { _ in .failure(Cancelled()) }
        #expect(throws: Cancelled.self) { try nasa.client(choice).results(.day(day("2026-11-18"))) }
        #expect(throws: Cancelled.self) { try nasa.client(choice).results(.newest) }
        #expect(throws: Cancelled.self) { try nasa.client(choice).results(.range(start: day("2026-11-01"), end: nil)) }
        #expect(nasa.asked.count == 3)
    }

    @Test func oldServiceIsNotUsedAfterABlockedAddressOrCancellation() throws {
        let blocked = FetchFailure.blockedAddress(url: try WebURL(FakeNASA.scienceBase), address: nil, .loopback)
        #expect(!ServiceChoice.asksNext(after: blocked))
        #expect(!ServiceChoice.asksNext(after: Cancelled()))
    }

    // MARK: The newest picture

    @Test func newestPictureTakesOneRequest() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let result = try nasa.client().results(.newest)
        #expect(result.first?.picture?.day == day("2026-11-20"))
        #expect(nasa.asked == [.newest(1)])
    }

    @Test func newestPictureIsYesterdaysUntilMidnightEasternTime() throws {
        let nasa = FakeNASA.complete(through: "2026-11-19")
        let result = try nasa.client(hour: 3, minute: 59).results(.newest)
        #expect(result.first?.picture?.day == day("2026-11-19"))
        #expect(nasa.asked.count == 1)
    }

    @Test func newestPictureTakesOneRequestHoweverOldItIs() throws {
        for newest in ["2026-11-19", "2026-11-18", "2026-11-15", "2025-10-01"] {
            let nasa = FakeNASA.complete(through: newest)
            let lines = Lines()
            let result = try nasa.client(log: lines.log).results(.newest)
            #expect(result.first?.picture?.day == day(newest))
            #expect(nasa.asked == [.newest(1)])
            let told = lines.all.filter { $0.contains("the newest picture is from \(newest)") }
            #expect(told.count == (newest == "2026-11-19" ? 0 : 1))
        }
    }

    @Test func oldServiceIsSearchedDayByDayForTheNewestPicture() throws {
        let nasa = FakeNASA.complete(through: "2026-11-18")
        let lines = Lines()
        let result = try nasa.client(.api, log: lines.log).results(.newest)
        #expect(result.first?.picture?.day == day("2026-11-18"))
        #expect(nasa.asked == ["20", "19", "18"].map { .day(.api, day("2026-11-\($0)")) })
        let failures = [APODFailure.notPublished(day("2026-11-20")), .noPicture(day("2026-11-19"))]
        let steps = failures.map { "apod-fetch: \($0.message); requesting the previous day\n" }
        #expect(lines.all.filter { $0.hasSuffix("; requesting the previous day\n") } == steps)
    }

    /// An empty list is not a failure.
    @Test(arguments: [(.status(500, ""), 1), (.ok("[]"), 0), (.ok("<html>"), 1)] as [(FakeNASA.Reply, Int)])
    func singleDaysAreRequestedIfTheListFails(_ reply: FakeNASA.Reply, _ failures: Int) throws {
        let nasa = FakeNASA.complete(through: "2026-11-19") { if case .newest = $0 { reply } else { nil } }
        let lines = Lines()
        #expect(try nasa.client(.science, log: lines.log).results(.newest).first?.picture?.day == day("2026-11-19"))
        let steps = lines.all.count { $0.hasSuffix("; requesting each day backwards from 2026-11-20\n") }
        #expect(steps == failures, "\(lines.all)")
        let last = try nasa.client(.science).results(.last(3))
        #expect(last.map(\.day) == ["17", "18", "19"].map { day("2026-11-\($0)") })
    }

    @Test func searchInTheOldServiceGoesBackThreeDays() throws {
        let nasa = FakeNASA.complete(through: "2026-11-16")
        let result = try nasa.client(.api).results(.newest)
        let failure = try #require(result.first?.failure)
        #expect(failure.code == "no-picture" && failure.exitCode == .unavailable)
        // The message names the whole range that was searched.
        #expect(
            failure.message.contains("from 2026-11-17 to 2026-11-20, and NASA has not published any since"),
            "\(failure.message)")
        #expect(result.first?.day == day("2026-11-20"))
        #expect(nasa.asked.count == 4)
    }

    @Test func fallbackSearchesFurtherBackIfTheNewestDaysHaveNoPicture() throws {
        let nasa = FakeNASA.complete(through: "2026-11-12")
        let result = try nasa.client(.science, options: PictureOptions(fallsBack: true)).results(.newest)
        #expect(result.first?.picture?.day == day("2026-11-12"))
    }

    @Test func newestDayOfTheOldServiceIsUsedIfTheNewServiceIsDown() throws {
        let outage = try outage(.science)
        let nasa = FakeNASA.complete(through: "2026-11-19") { $0.service == .science ? outage : nil }
        #expect(try nasa.client().results(.newest).first?.picture?.day == day("2026-11-19"))
        #expect(nasa.asked.map(\.service) == [.science, .api, .api])
    }
}
