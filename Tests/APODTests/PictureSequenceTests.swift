import HTTP
import Support
import Testing

@testable import APOD

@Suite struct PictureSequenceTests {
    private func days(_ results: [DayResult]) -> [CalendarDay] { results.map(\.day) }

    @Test func rangeIsRequestedPageByPageOldestFirst() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let sequence = try nasa.client().pictures(.range(start: day("2021-01-01"), end: day("2021-02-28")))
        #expect(nasa.asked.isEmpty)
        #expect(try sequence.next()?.day == day("2021-01-01"))
        #expect(nasa.asked.count == 1)
        let rest = try sequence.rest()
        #expect(days(rest) == PublishedDays.days(from: day("2021-01-02"), through: day("2021-02-28")))
        #expect(rest.allSatisfy { $0.picture?.day == $0.day })
        #expect(nasa.asked.count == 3)
        #expect(try sequence.next() == nil)
    }

    @Test func gapsAreSkippedWithoutARequest() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let results = try nasa.client().results(.range(start: day("1995-06-16"), end: day("1995-06-21")))
        #expect(days(results) == [day("1995-06-16"), day("1995-06-20"), day("1995-06-21")])
        #expect(
            nasa.asked == [.day(.science, day("1995-06-16")), .page(.science, day("1995-06-20"), day("1995-06-21"))])
    }

    @Test func dayMissingFromItsPageIsRequestedAloneBeforeItFails() throws {
        let newest = day("2026-11-20")
        let nasa = FakeNASA { FakeNASA.archive($0, newest: newest, without: [day("2021-01-02")]) }
        let results = try nasa.client(.science).results(.range(start: day("2021-01-01"), end: day("2021-01-03")))
        #expect(results.map { $0.picture != nil } == [true, false, true])
        #expect(
            nasa.asked == [.page(.science, day("2021-01-01"), day("2021-01-03")), .day(.science, day("2021-01-02"))])
        let record = results[1].record(tool: "apod-fetch")
        #expect(record.string("date") == "2021-01-02")
        #expect(record.string("error.code") == "no-picture")
        #expect(record.string("error.tool") == "apod-fetch")
        #expect(record.integer("error.exit") == 69)
        #expect(record.bool("error.transient") == false)
    }

    @Test func brokenDayOfAPageIsRequestedFromTheOldService() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20") { ask in
            guard case .page(.science, _, _) = ask else { return nil }
            let broken = scienceAnswer("2021-01-02", ["hdurl": .string(placeholder), "basic_html": nil])
            return .ok(list([scienceAnswer("2021-01-03"), broken, scienceAnswer("2021-01-01")]))
        }
        let results = try nasa.client().results(.range(start: day("2021-01-01"), end: day("2021-01-03")))
        #expect(results.map(\.picture?.service) == [.science, .api, .science])
        #expect(nasa.asked == [.page(.science, day("2021-01-01"), day("2021-01-03")), .day(.api, day("2021-01-02"))])
    }

    @Test func failedPageIsRequestedDayByDay() throws {
        for service in Service.allCases {
            let nasa = FakeNASA.complete(through: "2026-11-20") { ask in
                switch ask {
                case .page, .day(_, day("2021-01-02")): .status(500, #"{"code":500,"msg":"Internal Service Error"}"#)
                default: nil
                }
            }
            let results = try nasa.client(service == .api ? .api : .science)
                .results(.range(start: day("2021-01-01"), end: day("2021-01-04")))
            #expect(results.map(\.failure?.code) == [nil, "server-error", nil, nil])
            #expect(nasa.asked.count == 5)
        }
    }

    @Test(arguments: [Service.science, .api]) func brokenDaysDoNotLoseOtherDaysOfTheirRange(_ service: Service) throws {
        let broken: Set = [day("2021-01-01"), day("2021-01-02")]
        let nasa = FakeNASA.complete(through: "2026-11-20") { ask in
            switch ask {
            case .day(_, let day) where !broken.contains(day): nil
            case .page(_, let first, _) where first > day("2021-01-02"): nil
            default: .status(500, #"{"code":500,"msg":"Internal Service Error"}"#)
            }
        }
        let results = try nasa.client(service == .api ? .api : .science)
            .results(.range(start: day("2021-01-01"), end: day("2021-02-28")))
        #expect(Set(results.filter { $0.picture == nil }.map(\.day)) == broken)
    }

    @Test(
        arguments: [
            .ok("<html>Sign in"), .ok("{\"rows\":[]}"), .ok("[{},"), .ok(""), .status(404, "<html>Not Found"),
            .status(400, ""),
            .ok(scienceAnswer("2026-11-20").line),
        ] as [FakeNASA.Reply]) func serviceWithUnusableAnswersIsAbandoned(_ reply: FakeNASA.Reply) throws
    {
        let nasa = FakeNASA { ask in
            ask.service == .science ? reply : FakeNASA.archive(ask, newest: day("2026-11-20"))
        }
        let lines = Lines()
        let results = try nasa.client(log: lines.log).results(.range(start: day("2021-01-01"), end: day("2021-12-31")))
        #expect(results.count == 365 && results.allSatisfy { $0.picture?.service == .api })
        // One request is for the page, and ten are for its days.
        #expect(nasa.asked.count { $0.service == .science } == 11)
        let words = "the service at science.example.org failed 10 times in a row; not used again in this run"
        #expect(lines.all.count { $0 == "apod-fetch: warning: \(words)\n" } == 1)
        #expect(lines.all.contains { $0.hasSuffix("; requesting each day from 2021-01-01 to 2021-01-25\n") })
        #expect(lines.all.contains { $0.contains("; trying the server in APOD_API_URL for ") })
    }

    @Test func oversizedPageIsRequestedDayByDay() throws {
        let url = try WebURL(FakeNASA.scienceBase)
        let nasa = FakeNASA.complete(through: "2026-11-20") { ask in
            switch ask {
            case .page, .day(_, day("2021-01-02")): .failure(FetchFailure.tooLarge(url: url, byteLimit: 4_000_000))
            default: nil
            }
        }
        let results = try nasa.client(.science).results(.range(start: day("2021-01-01"), end: day("2021-01-03")))
        #expect(results.map(\.failure?.code) == [nil, "too-large", nil])
    }

    @Test func rangeOfTheOldServiceIsRequestedWithoutTheNewestDay() throws {
        // The old service refuses a range if one of its days is missing.
        let nasa = FakeNASA.complete(through: "2026-11-19") { ask in
            if case .page(.api, _, day("2026-11-20")) = ask { .status(404, #"{"code":404}"#) } else { nil }
        }
        let results = try nasa.client(.api, hour: 5).results(.named([.month(11, year: 2026)]))
        #expect(results.count == 19 && results.allSatisfy { $0.picture != nil })
        #expect(nasa.asked == [.page(.api, day("2026-11-01"), day("2026-11-19")), .day(.api, day("2026-11-20"))])
    }

    @Test func answerForOtherDaysThanRequestedIsNotUsed() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20") { ask in
            guard case .page = ask else { return nil }
            return .ok(list([scienceAnswer("2026-11-20"), scienceAnswer("2026-11-19")]))
        }
        let results = try nasa.client().results(.range(start: day("2021-01-01"), end: day("2021-01-02")))
        #expect(results.map(\.picture?.day) == [day("2021-01-01"), day("2021-01-02")])
        #expect(nasa.asked.count == 3)
    }

    @Test(arguments: [nil, day("2026-11-20")]) func aRangeEndsWithTheNewestPicture(_ end: CalendarDay?) throws {
        let nasa = FakeNASA.complete(through: "2026-11-19")
        let lines = Lines()
        let client = try nasa.client(hour: 4, minute: 1, log: lines.log)
        #expect(
            days(try client.results(.range(start: day("2026-11-18"), end: end))) == [
                day("2026-11-18"), day("2026-11-19"),
            ])
        #expect(nasa.asked == [.page(.science, day("2026-11-18"), day("2026-11-20")), .newest(1)])
        client.logSkippedDays()
        #expect(lines.all.last == "apod-fetch: the picture of 2026-11-20 is not published yet; skipped\n")
    }

    @Test func pagesComeFromTheOldServiceIfTheNewServiceIsDown() throws {
        let url = try WebURL(FakeNASA.scienceBase)
        let nasa = FakeNASA.complete(through: "2026-11-20") { ask in
            ask.service == .science ? .failure(FetchFailure.timedOut(url: url, .waiting)) : nil
        }
        let lines = Lines()
        let results = try nasa.client(log: lines.log).results(.range(start: day("2021-01-01"), end: day("2021-12-31")))
        #expect(results.count == 365)
        #expect(results.allSatisfy { $0.picture?.service == .api })
        #expect(nasa.asked.count { $0.service == .science } == 3)
        #expect(nasa.asked.count { $0.service == .api } == 15)
        #expect(lines.all.count { $0.contains("warning") } == 1)
    }

    @Test func unreachableNetworkStopsFurtherRequests() throws {
        let url = try WebURL(FakeNASA.scienceBase)
        let nasa = FakeNASA { _ in .failure(FetchFailure.nameNotResolved(url: url)) }
        let results = try nasa.client().results(.range(start: day("2021-01-01"), end: day("2021-12-31")))
        #expect(results.count == 365)
        #expect(results.allSatisfy { $0.failure?.isTransient == true })
        #expect(nasa.asked.count == 6)
    }

    @Test func transientFailureIsReportedForAllDaysInsteadOfTheOldServicesLogo() throws {
        let url = try WebURL(FakeNASA.scienceBase)
        let nasa = FakeNASA { ask in
            switch ask {
            case .page(.api, _, _), .day(.api, _): .ok(list(["2021-01-01", "2021-01-02"].map(logoAnswer)))
            default: .failure(FetchFailure.nameNotResolved(url: url))
            }
        }
        let results = try nasa.client().results(.range(start: day("2021-01-01"), end: day("2021-01-02")))
        #expect(results.allSatisfy { $0.failure is FetchFailure })
    }

    @Test func theLastDaysEndWithTheNewestPicture() throws {
        let nasa = FakeNASA.complete(through: "2026-11-19")
        let client = try nasa.client(hour: 4, minute: 1)
        #expect(days(try client.results(.last(3))) == [day("2026-11-17"), day("2026-11-18"), day("2026-11-19")])
        #expect(days(try client.results(.last(1))).count == 1)
        #expect(try client.results(.last(30)).allSatisfy { $0.picture != nil })
    }

    @Test func namedDaysKeepTheirOrder() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let words: [NamedDays] = [.month(2, year: 2024), .today, .day(day("1996-01-01")), .yesterday]
        let results = try nasa.client().results(.named(words))
        #expect(
            days(results) == PublishedDays.days(from: day("2024-02-01"), through: day("2024-02-29"))
                + [day("2026-11-20"), day("1996-01-01"), day("2026-11-19")])
        #expect(results.allSatisfy { $0.picture?.day == $0.day })
    }

    @Test func randomDaysKeepTheOrderOfTheDraw() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let client = try nasa.client()
        let plan = try DayPlan.random(20, seed: 3, at: client.clock.now())
        #expect(days(try client.results(.random(20, seed: 3))).map(DayPlan.Step.day) == plan.steps)
    }

    @Test func recordHasTheTimeOfTheAnswer() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let record = try nasa.client().results(.newest).first?.record(tool: "apod-fetch")
        #expect(record?.string("apod.fetched_at") == "2026-11-20T12:00:00Z")
        #expect(record?.string("apod.source") == "network")
    }
}
