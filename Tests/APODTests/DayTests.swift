import Support
import Testing

@testable import APOD

@Suite struct PublishedDaysTests {
    @Test func theNewestDayChangesAtMidnightOfEasternSummerTime() {
        #expect(PublishedDays.newest(at: time("2026-07-02", 3, 59)) == day("2026-07-01"))
        #expect(PublishedDays.newest(at: time("2026-07-02", 4, 0)) == day("2026-07-02"))
    }

    @Test func todayIsTheLatestDayAnywhere() throws {
        let now = time("2026-11-20", 9, 59)
        #expect(PublishedDays.latestToday(at: now) == day("2026-11-20"))
        #expect(PublishedDays.latestToday(at: time("2026-11-20", 10, 0)) == day("2026-11-21"))
        #expect(throws: Never.self) { try PublishedDays.check(day("2026-11-20"), at: now) }
    }

    @Test(arguments: ["2026-11-21", "1995-06-15"])
    func daysOutsideTheRangeAreAUsageFailureThatNamesIt(_ text: String) {
        let error = #expect(throws: UsageFailure.self) { try PublishedDays.check(day(text), at: time("2026-11-20", 9)) }
        #expect(error?.message.contains("1995-06-16 to 2026-11-20") == true)
        #expect(error?.exitCode == .usage)
    }

    @Test func daysWithoutAPictureAreLeftOut() {
        #expect(
            PublishedDays.days(from: day("1995-06-16"), through: day("1995-06-21"))
                == [day("1995-06-16"), day("1995-06-20"), day("1995-06-21")])
        #expect(PublishedDays.days(from: day("2020-06-10"), through: day("2020-06-10")) == [])
    }

    @Test func impossibleDaysAreToldFromNoDays() throws {
        #expect(try CalendarDay(typed: "2024-02-29") == day("2024-02-29"))
        let impossible = #expect(throws: UsageFailure.self) { try CalendarDay(typed: "2024-02-30") }
        #expect(impossible?.message.contains("no day 2024-02-30") == true)
        let banana = #expect(throws: UsageFailure.self) { try CalendarDay(typed: "banana") }
        #expect(banana?.message.contains("YYYY-MM-DD") == true)
    }
}

@Suite struct DayPlanTests {
    private let now = time("2026-11-20", 12)

    @Test func aRangeWithoutAnEndGoesToTheNewestDay() throws {
        #expect(
            try DayPlan(.range(start: day("2026-11-18"), end: nil), at: now)
                == .days([day("2026-11-18"), day("2026-11-19"), day("2026-11-20")], endIsOpen: true))
        // Today where the new day has already begun.
        #expect(
            try DayPlan(.range(start: day("2026-11-21"), end: nil), at: now) == .days([day("2026-11-21")], endIsOpen: true))
    }

    @Test func aRangeThatEndsBeforeItStartsIsAUsageFailure() {
        #expect(throws: UsageFailure.self) { try DayPlan(.range(start: day("2020-01-02"), end: day("2020-01-01")), at: now) }
        #expect(throws: UsageFailure.self) { try DayPlan(.range(start: day("1990-01-02"), end: day("2020-01-01")), at: now) }
        #expect(throws: UsageFailure.self) { try DayPlan(.range(start: day("2020-01-02"), end: day("2030-01-01")), at: now) }
    }

    @Test(arguments: [0, -1, 101])
    func randomDaysAreOneToAHundred(_ count: Int) {
        #expect(throws: UsageFailure.self) { try DayPlan(.random(count: count, seed: 1), at: now) }
    }

    @Test func randomDaysArePublishedDifferentAndTheSameForASeed() throws {
        for seed in UInt64(0)..<200 {
            let plan = try DayPlan(.random(count: 100, seed: seed), at: now)
            guard case .days(let days, false) = plan else {
                Issue.record("not a list of days")
                return
            }
            #expect(days.count == 100)
            #expect(Set(days).count == 100)
            #expect(days.allSatisfy { $0 >= PublishedDays.first && $0 <= day("2026-11-19") && !PublishedDays.gaps.contains($0) })
            #expect(try DayPlan(.random(count: 100, seed: seed), at: now) == plan)
        }
        #expect(try DayPlan(.random(count: 5, seed: 1), at: now) != DayPlan(.random(count: 5, seed: 2), at: now))
    }

    @Test func aSeedDrawsTheSameDaysALittleLater() throws {
        #expect(try DayPlan(.random(count: 5, seed: 42), at: now) == DayPlan(.random(count: 5, seed: 42), at: time("2026-11-22")))
    }

    @Test func aSmallArchiveIsDrawnWhole() throws {
        let plan = try DayPlan(.random(count: 3, seed: 7), at: time("1995-06-22"))
        guard case .days(let days, _) = plan else { return }
        #expect(Set(days) == [day("1995-06-16"), day("1995-06-20"), day("1995-06-21")])
        #expect(throws: UsageFailure.self) { try DayPlan(.random(count: 4, seed: 7), at: time("1995-06-22")) }
    }
}

@Suite struct PageWindowsTests {
    private func sizes(_ from: String, _ through: String) -> [Int] {
        PageWindows.windows(of: PublishedDays.days(from: day(from), through: day(through))).map(\.count)
    }

    @Test func aRangeIsCutIntoPagesOfTwentyFive() {
        #expect(sizes("2021-01-01", "2021-02-28") == [25, 25, 9])
        #expect(sizes("2021-01-01", "2021-01-01") == [1])
    }

    @Test func noPageCrossesAGap() {
        #expect(sizes("2020-06-08", "2020-06-12") == [2, 2])
        #expect(sizes("1995-06-16", "1995-06-21") == [1, 2])
    }

    @Test func daysFarApartAreAskedForSingly() {
        let days = [day("2021-01-01"), day("2021-01-10"), day("2021-01-12"), day("2021-01-11"), day("2020-01-01")]
        #expect(PageWindows.windows(of: days).map(\.count) == [1, 3, 1])
    }

    @Test func allDaysStayInTheirOrder() {
        for seed in UInt64(0)..<200 {
            var generator = SplitMix64(seed: seed)
            let days = (0..<60).map { _ in CalendarDay(daysSince1970: 18_400 + Int.random(in: 0..<90, using: &generator)) }
            let windows = PageWindows.windows(of: days)
            #expect(windows.flatMap { $0 } == days)
            #expect(windows.allSatisfy { window in
                (window.max()?.daysSince1970 ?? 0) - (window.min()?.daysSince1970 ?? 0) < ServiceClient.pageLimit
            })
        }
    }
}
