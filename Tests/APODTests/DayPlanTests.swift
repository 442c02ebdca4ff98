import Support
import TestSupport
import Testing

@testable import APOD

/// Typed arguments, the time of the run, and the expected steps as formatted by `short`.
struct PlannedDays: Sendable, CustomTestStringConvertible {
    let words: [String]
    let time: Timestamp
    let steps: [String]
    var gaps: [String] = []

    init(_ words: String, at time: Timestamp, _ steps: [String], gaps: [String] = []) {
        self.words = words.split(separator: " ").map(String.init)
        self.time = time
        self.steps = steps
        self.gaps = gaps
    }

    var testDescription: String { "\(words.joined(separator: " ")) at \(time.iso8601)" }
}

/// Formats steps: `2024-02-03`; `2024-02-03?` for a day that is skipped if unpublished; `newest 2024-02-03`;
/// `last 3 2024-02-03`. Consecutive days are joined: `2024-02-01...2024-02-29?`.
private func short(_ steps: [DayPlan.Step]) -> [String] {
    var words: [String] = []
    var run: (first: CalendarDay, last: CalendarDay, mark: String)?
    func endRun() {
        if let run { words.append((run.first == run.last ? "" : "\(run.first)...") + "\(run.last)\(run.mark)") }
        run = nil
    }
    func add(_ day: CalendarDay, _ mark: String) {
        if let known = run, known.last.advanced(by: 1) == day, known.mark == mark {
            run = (known.first, day, mark)
        } else {
            endRun()
            run = (day, day, mark)
        }
    }
    for step in steps {
        switch step {
        case .day(let day): add(day, "")
        case .dayIfPublished(let day): add(day, "?")
        case .newest(let count, let day):
            endRun()
            words.append(count == 1 ? "newest \(day)" : "last \(count) \(day)")
        }
    }
    endRun()
    return words
}

@Suite struct DayPlanTests {
    private let now = time("2026-11-20", 12)

    /// The time when it is 2026-11-20 at NASA, and already 2026-11-21 in Sydney.
    private static let evening = time("2026-11-20", 23, 59)
    private static let morning = time("2026-11-20", 4, 4)
    private static let early = time("2026-11-20", 3, 59)
    /// The time when it is 2027 in UTC, but still 2026 at NASA.
    private static let newYear = time("2027-01-01", 2)
    /// The time when it is 2027 only in the time zones from UTC+12 to UTC+14.
    private static let newYearsEve = time("2026-12-31", 12)
    private static let leapDay = time("2028-02-29", 12)
    private static let afterLeapDay = time("2028-03-01", 12)
    private static let firstDay = time("1995-06-16", 12)
    private static let firstWeek = time("1995-06-18", 12)
    private static let secondWeek = time("1995-06-22", 12)

    @Test(arguments: [
        PlannedDays("today", at: evening, ["newest 2026-11-20"]),
        PlannedDays("today", at: morning, ["newest 2026-11-20"]),
        PlannedDays("today", at: early, ["newest 2026-11-19"]),
        PlannedDays("yesterday", at: evening, ["2026-11-19"]),
        PlannedDays("yesterday", at: early, ["2026-11-18"]),
        PlannedDays("yesterday", at: afterLeapDay, ["2028-02-29"]),
        PlannedDays("yesterday", at: newYear, ["2026-12-30"]),
        PlannedDays("2026-11-20", at: early, ["2026-11-20"]),
        PlannedDays("2026-11-21", at: evening, ["2026-11-21"]),
        PlannedDays("1995-06-16", at: evening, ["1995-06-16"]),
        PlannedDays("2020-06-10", at: evening, ["2020-06-10"]),
        PlannedDays("2028-02-29", at: leapDay, ["2028-02-29"]),
        PlannedDays("2024-02", at: evening, ["2024-02-01...2024-02-29?"]),
        PlannedDays("2023-02", at: evening, ["2023-02-01...2023-02-28?"]),
        PlannedDays("2000-02", at: evening, ["2000-02-01...2000-02-29?"]),
        PlannedDays("2028-02", at: leapDay, ["2028-02-01...2028-02-29?"]),
        PlannedDays("2026-11", at: evening, ["2026-11-01...2026-11-20?"]),
        PlannedDays("2026-11", at: early, ["2026-11-01...2026-11-19?"]),
        PlannedDays("2026-12", at: newYearsEve, ["2026-12-01...2026-12-31?"]),
        PlannedDays("2026-12", at: newYear, ["2026-12-01...2026-12-31?"]),
        PlannedDays("2027", at: newYear, ["2027-01-01?"]),
        PlannedDays("2027-01", at: newYearsEve, ["2027-01-01?"]),
        PlannedDays("2024", at: evening, ["2024-01-01...2024-12-31?"]),
        PlannedDays("2026", at: evening, ["2026-01-01...2026-11-20?"]),
        PlannedDays(
            "1995", at: evening, ["1995-06-16?", "1995-06-20...1995-12-31?"],
            gaps: ["1995-06-17", "1995-06-18", "1995-06-19"]),
        PlannedDays(
            "1995-06", at: secondWeek, ["1995-06-16?", "1995-06-20...1995-06-22?"],
            gaps: ["1995-06-17", "1995-06-18", "1995-06-19"]),
        PlannedDays("1995-06", at: firstDay, ["1995-06-16?"]),
        PlannedDays("1995-06", at: firstWeek, ["1995-06-16?"], gaps: ["1995-06-17", "1995-06-18"]),
        PlannedDays(
            "2020-06", at: evening, ["2020-06-01...2020-06-09?", "2020-06-11...2020-06-30?"], gaps: ["2020-06-10"]),
        PlannedDays(
            "2024-02-03 today 2024-02 yesterday 2024-02-03", at: evening,
            ["2024-02-03", "newest 2026-11-20", "2024-02-01...2024-02-29?", "2026-11-19", "2024-02-03"]),
        PlannedDays(
            "2020-06 1995-06 2020-06", at: evening,
            [
                "2020-06-01...2020-06-09?", "2020-06-11...2020-06-30?", "1995-06-16?", "1995-06-20...1995-06-30?",
                "2020-06-01...2020-06-09?", "2020-06-11...2020-06-30?",
            ], gaps: ["1995-06-17", "1995-06-18", "1995-06-19", "2020-06-10"]),
    ])
    func namedDaysBecomeSteps(_ planned: PlannedDays) throws {
        let days = try planned.words.map { try NamedDays(typed: $0, at: planned.time) }
        let plan = try DayPlan.named(days, at: planned.time)
        #expect(short(plan.steps) == planned.steps)
        #expect(plan.gaps.map(\.description) == planned.gaps)
        #expect(plan.dayCount == plan.steps.count)
    }

    @Test(arguments: [
        PlannedDays("2026-11-18", at: evening, ["2026-11-18...2026-11-20?"]),
        PlannedDays("2026-11-18 today", at: evening, ["2026-11-18...2026-11-20?"]),
        PlannedDays("2026-11-18 2026-11", at: evening, ["2026-11-18...2026-11-20?"]),
        PlannedDays("2026-11-18 2026", at: early, ["2026-11-18...2026-11-19?"]),
        // If the last day is not published yet, it is skipped with a notice, although the request names it.
        PlannedDays("2026-11-18 2026-11-20", at: evening, ["2026-11-18...2026-11-20?"]),
        PlannedDays("2026-11-18 yesterday", at: evening, ["2026-11-18...2026-11-19?"]),
        PlannedDays("yesterday today", at: evening, ["2026-11-19...2026-11-20?"]),
        // 2026-11-21 has begun in some time zones.
        PlannedDays("2026-11-21", at: evening, ["2026-11-21?"]),
        PlannedDays("2026-11-21 2026-11-21", at: evening, ["2026-11-21?"]),
        PlannedDays("2024-02 2024-03", at: evening, ["2024-02-01...2024-03-31?"]),
        PlannedDays("2024-02-15 2024-02", at: evening, ["2024-02-15...2024-02-29?"]),
        PlannedDays("2024-02 2024-02-15", at: evening, ["2024-02-01...2024-02-15?"]),
        PlannedDays("2024 2025", at: evening, ["2024-01-01...2025-12-31?"]),
        PlannedDays("2024-02-03 2024-02-03", at: evening, ["2024-02-03?"]),
        PlannedDays(
            "1995 1995-06-20", at: evening, ["1995-06-16?", "1995-06-20?"],
            gaps: ["1995-06-17", "1995-06-18", "1995-06-19"]),
        PlannedDays(
            "1995-06-17 1995-06-19", at: evening, [], gaps: ["1995-06-17", "1995-06-18", "1995-06-19"]),
    ])
    func rangeCoversItsFirstAndLastPeriod(_ planned: PlannedDays) throws {
        let days = try planned.words.map { try NamedDays(typed: $0, at: planned.time) }
        let plan = try DayPlan.range(from: days[0], through: days.dropFirst().first, at: planned.time)
        #expect(short(plan.steps) == planned.steps)
        #expect(plan.gaps.map(\.description) == planned.gaps)
    }

    @Test(arguments: [
        ("1995-06-15", evening, "1995-06-15 is before the first picture"), ("1995-05", evening, "1995-05 is before"),
        ("1994", evening, "1994 is before"), ("2026-11-22", evening, "2026-11-22 is in the future"),
        ("2026-12", evening, "2026-12 is in the future"), ("2027", evening, "2027 is in the future"),
        ("2026-11-21", time("2026-11-20", 9, 59), "2026-11-21 is in the future"),
        ("2027", time("2026-12-31", 9, 59), "2027 is in the future"), ("yesterday", firstDay, "is before the first"),
    ])
    func requestEntirelyOutOfRangeIsRefused(_ text: String, _ time: Timestamp, _ words: String) throws {
        let days = try NamedDays(typed: text, at: time)
        let range = "use a day from 1995-06-16 to \(PublishedDays.latestToday(at: time))"
        for request in [
            DayRequest.named([.today, days]), .range(from: days, through: nil), .range(from: days, through: days),
        ] {
            let failure = #expect(throws: UsageFailure.self) { try request.plan(time) }
            let message = failure?.message ?? ""
            #expect(
                message.contains(days == .yesterday ? "is before the first" : words) && message.hasSuffix(range),
                "\(message)")
        }
    }

    @Test func aRangeThatEndsBeforeItStartsIsAUsageFailure() {
        let wrong: [(NamedDays, NamedDays)] = [
            (.day(day("2020-01-02")), .day(day("2020-01-01"))), (.month(3, year: 2020), .month(2, year: 2020)),
            (.year(2021), .year(2020)), (.today, .yesterday), (.day(day("2026-11-21")), .today),
            (.day(day("1990-01-02")), .day(day("2020-01-01"))), (.day(day("2020-01-02")), .day(day("2030-01-01"))),
        ]
        for (start, end) in wrong {
            #expect(throws: UsageFailure.self, "\(start) to \(end)") {
                try DayPlan.range(from: start, through: end, at: now)
            }
        }
    }

    // MARK: Numbers of days

    @Test func lastDaysAreCountedBackFromTheNewest() throws {
        #expect(try short(DayPlan.last(7, at: Self.early).steps) == ["last 7 2026-11-19"])
        #expect(try DayPlan.last(7, at: Self.early).dayCount == 7)
        #expect(try short(DayPlan.last(3, at: Self.secondWeek).steps) == ["last 3 1995-06-22"])
    }

    @Test(arguments: [0, -1, Int.min, 11_478, Int.max])
    func invalidNumberOfDaysIsRefused(_ count: Int) {
        for request in [DayRequest.last(count), .random(count, seed: 1)] {
            let failure = #expect(throws: UsageFailure.self) { try request.plan(now) }
            #expect(failure?.message.contains("invalid number of days: \(count);") == true)
            #expect(failure?.message.contains("from 1 to 1147") == true, "\(failure?.message ?? "")")
        }
    }

    @Test func randomDayBeforeTheFirstPictureIsRefused() {
        #expect(
            message { _ = try DayPlan.random(1, seed: 1, at: Self.firstDay) }
                == "64 no picture of the day has been published yet; check this machine's clock")
    }

    @Test func randomDaysArePublishedDistinctAndRepeatableBySeed() throws {
        for seed in UInt64(0)..<200 {
            let plan = try DayPlan.random(100, seed: seed, at: now)
            let days = drawn(plan)
            #expect(days.count == 100 && Set(days).count == 100)
            #expect(
                days.allSatisfy {
                    $0 >= PublishedDays.first && $0 <= day("2026-11-19") && !PublishedDays.gaps.contains($0)
                })
            #expect(try DayPlan.random(100, seed: seed, at: now) == plan)
        }
        #expect(try DayPlan.random(5, seed: 1, at: now) != DayPlan.random(5, seed: 2, at: now))
    }

    @Test func seedDrawsTheSameDaysInLaterYears() throws {
        let early = try DayPlan.random(5, seed: 42, at: now)
        #expect(
            drawn(early).map(\.description) == ["2020-08-25", "2013-07-02", "2010-10-04", "2026-07-21", "2024-04-14"])
        // Days after 2026-11-20 may be drawn too, but the order of the earlier days does not change.
        let old = drawn(try DayPlan.random(20, seed: 42, at: now))
        for year in [2027, 2035, 2041, 2060, 2173] {
            let all = drawn(try DayPlan.random(200, seed: 42, at: time("\(year)-12-31")))
            #expect(all.filter { $0 < day("2026-11-20") }.starts(with: old), "\(year)")
        }
    }

    @Test func theWholeArchiveCanBeDrawn() throws {
        let all = PublishedDays.days(from: PublishedDays.first, through: day("2026-11-19"))
        let plan = try DayPlan.random(all.count, seed: 7, at: now)
        #expect(drawn(plan).sorted() == all)
        #expect(drawn(plan) != all)
        let small = try DayPlan.random(3, seed: 7, at: Self.secondWeek)
        #expect(Set(drawn(small)) == [day("1995-06-16"), day("1995-06-20"), day("1995-06-21")])
        #expect(throws: UsageFailure.self) { try DayPlan.random(4, seed: 7, at: Self.secondWeek) }
    }

    private func drawn(_ plan: DayPlan) -> [CalendarDay] {
        plan.steps.compactMap { if case .day(let day) = $0 { day } else { nil } }
    }
}
