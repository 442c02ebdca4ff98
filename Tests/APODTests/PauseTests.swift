import HTTP
import Support
import Testing

@testable import APOD

/// Tests for a pause in NASA's publications: it is noon on 2026-11-20, but the newest picture is from 2026-11-15.
@Suite struct PauseTests {
    private let nasa = FakeNASA.complete(through: "2026-11-15")

    private func november(_ days: ClosedRange<Int>) -> [CalendarDay] {
        days.map { day("2026-11-01").advanced(by: $0 - 1) }
    }

    @Test func lastDaysAreTheNewestPublishedDays() throws {
        #expect(try nasa.client().results(.last(3)).map(\.day) == november(13...15))
        #expect(nasa.asked == [.newest(3)])
    }

    @Test func lastDaysDoNotCountDaysThatNASASkipped() throws {
        let newest = day("2026-11-20")
        let missing = Set(november(14...18))
        let nasa = FakeNASA { FakeNASA.archive($0, newest: newest, without: missing) }
        let store = try DayCache()
        for _ in 0..<2 {
            let results = try nasa.client(store: store).results(.last(4))
            #expect(results.map(\.day) == november(12...13) + november(19...20))
            #expect(results.allSatisfy { $0.picture != nil })
        }
        #expect(nasa.asked == [.newest(4)])
    }

    @Test func lastDaysBeyondAPageComeFromEarlierPages() throws {
        let results = try nasa.client().results(.last(40))
        #expect(results.map(\.day) == PublishedDays.days(from: day("2026-10-07"), through: day("2026-11-15")))
        #expect(results.allSatisfy { $0.picture != nil })
        #expect(nasa.asked == [.newest(25), .page(.science, day("2026-10-07"), day("2026-10-21"))])
    }

    @Test(arguments: [1, 4]) func lastDaysDoNotCountSkippedDaysOnEarlierPages(jobs: Int) throws {
        let newest = day("2026-11-20")
        let missing = Set(PublishedDays.days(from: day("2026-10-03"), through: day("2026-10-07")))
        let nasa = FakeNASA { FakeNASA.archive($0, newest: newest, without: missing) }
        let lines = Lines()
        let results = try nasa.client(jobs: jobs, log: lines.log).results(.last(60))
        let days = PublishedDays.days(from: day("2026-09-17"), through: newest).filter { !missing.contains($0) }
        #expect(results.map(\.day) == days && days.count == 60)
        #expect(results.allSatisfy { $0.picture != nil })
    }

    @Test(arguments: [1, 4]) func futureDaysOfAMonthAreSkippedWithOneNotice(jobs: Int) throws {
        let lines = Lines()
        let client = try nasa.client(jobs: jobs, log: lines.log)
        #expect(try client.results(.named([.month(11, year: 2026)])).map(\.day) == november(1...15))
        #expect(nasa.asked == [.page(.science, day("2026-11-01"), day("2026-11-20")), .newest(1)])
        client.logSkippedDays()
        let told = lines.all.filter { $0.contains("not published") }
        #expect(told == ["apod-fetch: the pictures of 2026-11-16 to 2026-11-20 are not published yet; skipped\n"])
    }

    @Test(arguments: [1, 4]) func monthWithoutAPictureRequestsEachPageAndTheNewestDay(jobs: Int) throws {
        let nasa = FakeNASA.complete(through: "2026-09-20")
        let client = try nasa.client(jobs: jobs)
        #expect(try client.results(.named([.month(10, year: 2026)])).isEmpty)
        #expect(nasa.asked.count == 3 && nasa.asked.count { $0 == .newest(1) } == 1)
    }

    @Test(
        arguments: [
            ([.today, .yesterday], [19]), ([.yesterday, .today], [19]), ([.today, .today], [19]),
            ([.month(11, year: 2026), .today], Array(1...19)),
            ([.day(day("2026-11-18")), .day(day("2026-11-18"))], [18, 18]),
        ] as [([NamedDays], [Int])])
    func newestDayAppearsOnceForTodayAndYesterday(_ days: [NamedDays], _ given: [Int]) throws {
        let nasa = FakeNASA.complete(through: "2026-11-19")
        let results = try nasa.client().results(.named(days))
        #expect(results.map(\.day.day) == given)
        #expect(nasa.asked.count <= 3 && (days.count == 2 && given.count > 1 || nasa.asked == [.newest(1)]))
    }

    @Test func monthWithoutAPublishedPictureIsReported() throws {
        let nasa = FakeNASA.complete(through: "2026-10-31")
        let lines = Lines()
        let client = try nasa.client(today: "2026-11-01", log: lines.log)
        #expect(try client.results(.named([.month(11, year: 2026)])).isEmpty)
        client.logSkippedDays()
        #expect(lines.all.last == "apod-fetch: the picture of 2026-11-01 is not published yet; skipped\n")
    }

    @Test func fallbackDoesNotReplaceTodayIfTodayIsRequired() throws {
        let today = DayRequest.day(day("2026-11-20"))
        let fallback = try nasa.client(options: PictureOptions(fallsBack: true)).results(today)
        #expect(fallback.first?.picture?.day == day("2026-11-15"))
        let strict = try nasa.client(options: PictureOptions(fallsBack: true, requiresToday: true)).results(today)
        #expect(strict.first?.failure?.code == "not-published")
    }

    @Test func dayAfterTheNewestPictureFailsAsNotPublished() throws {
        for date in ["2026-11-17", "2026-11-20"] {
            let failure = try nasa.client().results(.day(day(date))).first?.failure
            #expect(failure as? APODFailure == .notPublished(day(date)))
            #expect(failure?.exitCode == .temporary && failure?.isTransient == true)
        }
        #expect(nasa.asked == [.day(.science, day("2026-11-17")), .newest(1), .day(.science, day("2026-11-20"))])
    }

    @Test func missingDayBeforeTheNewestHasNoPicture() throws {
        let newest = day("2026-11-20")
        let nasa = FakeNASA { FakeNASA.archive($0, newest: newest, without: [day("2026-11-17")]) }
        let results = try nasa.client(.science).results(.range(start: day("2026-11-16"), end: day("2026-11-18")))
        #expect(results.map(\.failure?.code) == [nil, "no-picture", nil])
    }

    @Test func unpublishedDaysAreCachedForFiveMinutes() throws {
        let store = try DayCache()
        for (minute, asked) in [(0, 1), (4, 1), (5, 2)] {
            let client = try nasa.client(minute: minute, store: store)
            #expect(try client.results(.newest).map(\.day) == [day("2026-11-15")])
            #expect(try client.results(.range(start: day("2026-11-15"), end: nil)).map(\.day) == [day("2026-11-15")])
            #expect(nasa.asked.count == asked)
        }
        #expect(try store.kept().count == 6)
    }

    @Test func onlyTheNewestDayIsRequestedAgain() throws {
        let store = try DayCache()
        _ = try nasa.client(store: store).results(.last(5))
        let later = FakeNASA.complete(through: "2026-11-21")
        let results = try later.client(today: "2026-11-21", store: store).results(.last(5))
        #expect(results.map(\.day) == november(17...21))
        #expect(later.asked == [.newest(5)])
        let nextDay = FakeNASA.complete(through: "2026-11-22")
        #expect(
            try nextDay.client(today: "2026-11-22", store: store).results(.last(5)).map(\.day) == november(18...22))
        #expect(nextDay.asked == [.newest(1)] || nextDay.asked == [.newest(2)], "\(nextDay.asked)")
    }

    @Test func staleNewestPictureCausesNoNoticeAboutAPause() throws {
        let store = try DayCache()
        _ = try nasa.client(store: store).results(.newest)
        let url = try WebURL(FakeNASA.scienceBase)
        let down = FakeNASA { _ in .failure(FetchFailure.nameNotResolved(url: url)) }
        let lines = Lines()
        let result = try down.client(minute: 10, store: store, log: lines.log).results(.newest)
        #expect(result.map(\.source) == [.stale] && result.map(\.day) == [day("2026-11-15")])
        // The warning about stale records is enough.
        #expect(!lines.all.contains { $0.contains("days ago") })
    }
}
