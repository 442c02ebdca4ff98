import Support
import Testing

@testable import APOD

@Suite struct PublishedDaysTests {
    @Test func theNewestDayChangesAtMidnightOfEasternSummerTime() {
        #expect(PublishedDays.newest(at: time("2026-07-02", 3, 59)) == day("2026-07-01"))
        #expect(PublishedDays.newest(at: time("2026-07-02", 4, 0)) == day("2026-07-02"))
    }

    @Test func latestTodayIsTheDateInTheEasternmostTimeZone() throws {
        let now = time("2026-11-20", 9, 59)
        #expect(PublishedDays.latestToday(at: now) == day("2026-11-20"))
        #expect(PublishedDays.latestToday(at: time("2026-11-20", 10, 0)) == day("2026-11-21"))
        #expect(throws: Never.self) { try PublishedDays.check(day("2026-11-20"), at: now) }
    }

    @Test(arguments: ["2026-11-21", "1995-06-15"])
    func dayOutsideTheArchiveIsRefusedWithTheValidRange(_ text: String) {
        let error = #expect(throws: UsageFailure.self) { try PublishedDays.check(day(text), at: time("2026-11-20", 9)) }
        #expect(error?.message.contains("1995-06-16 to 2026-11-20") == true)
        #expect(error?.exitCode == .usage)
    }

    @Test func daysWithoutAPictureAreOmitted() {
        #expect(
            PublishedDays.days(from: day("1995-06-16"), through: day("1995-06-21"))
                == [day("1995-06-16"), day("1995-06-20"), day("1995-06-21")])
        #expect(PublishedDays.days(from: day("2020-06-10"), through: day("2020-06-10")) == [])
    }
}

@Suite struct PagesTests {
    /// Divides the days into requests to the new service.
    private func windows(of days: [CalendarDay]) -> [[CalendarDay]] {
        var windows: [[CalendarDay]] = []
        var rest = days[...]
        while !rest.isEmpty {
            windows.append(Array(rest.prefix(Service.science.daysPerRequest(of: rest))))
            rest = rest.dropFirst(windows[windows.count - 1].count)
        }
        return windows
    }

    @Test func noPageOfTheNewServiceCrossesTheYear2000() {
        let days = PublishedDays.days(from: day("1999-12-20"), through: day("2000-01-10"))
        #expect(windows(of: days).map(\.count) == [12, 10])
        #expect(windows(of: days.reversed()).map(\.count) == [10, 12])
    }

    private func sizes(_ from: String, _ through: String) -> [Int] {
        windows(of: PublishedDays.days(from: day(from), through: day(through))).map(\.count)
    }

    @Test func rangeIsDividedIntoPagesOf25Days() {
        #expect(sizes("2021-01-01", "2021-02-28") == [25, 25, 9])
        #expect(sizes("2021-01-01", "2021-01-01") == [1])
    }

    @Test func noPageCrossesAGap() {
        #expect(sizes("2020-06-08", "2020-06-12") == [2, 2])
        #expect(sizes("1995-06-16", "1995-06-21") == [1, 2])
    }

    @Test func distantDaysAreRequestedSeparately() {
        let days = [day("2021-01-01"), day("2021-01-10"), day("2021-01-12"), day("2021-01-11"), day("2020-01-01")]
        #expect(windows(of: days).map(\.count) == [1, 3, 1])
    }

    @Test func requestsContainAllDaysInOrder() {
        for seed in UInt64(0)..<200 {
            var generator = SplitMix64(seed: seed)
            let days = (0..<60).map { _ in
                CalendarDay(daysSince1970: 18_400 + Int.random(in: 0..<90, using: &generator))
            }
            let windows = windows(of: days)
            #expect(windows.flatMap { $0 } == days)
            #expect(
                windows.allSatisfy { window in
                    (window.max()?.daysSince1970 ?? 0) - (window.min()?.daysSince1970 ?? 0) < Service.pageLimit
                })
        }
    }
}
