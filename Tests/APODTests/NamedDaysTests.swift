import Support
import Testing

@testable import APOD

@Suite struct NamedDaysTests {
    private let now = time("2026-11-20", 9)

    @Test(arguments: [
        ("today", NamedDays.today), ("yesterday", .yesterday), ("2024-02-29", .day(day("2024-02-29"))),
        ("2024-02", .month(2, year: 2024)), ("2024-12", .month(12, year: 2024)), ("2024", .year(2024)),
        // A day that cannot have a picture is parsed; `DayPlan` refuses it.
        ("0001-01-01", .day(day("0001-01-01"))), ("9999", .year(9999)), ("2020-06-10", .day(day("2020-06-10"))),
        ("2024-02..today", .range(.month(2, year: 2024), through: .today)),
        ("2024-02-03..2024-02-01", .range(.day(day("2024-02-03")), through: .day(day("2024-02-01")))),
    ])
    func parsedDaysPrintAsTheTypedText(_ text: String, _ days: NamedDays) throws {
        #expect(try NamedDays(typed: text, at: now) == days)
        #expect(days.description == text)
    }

    @Test(arguments: [
        ("2024-02-30", "there is no day 2024-02-30"), ("2023-02-29", "there is no day 2023-02-29"),
        ("2024-13", "there is no month 2024-13"), ("2024-00", "there is no month"), ("2024-00-01", "there is no day"),
        ("2024-02-00", "there is no day"), ("0000", "there is no year 0000"), ("0000-01", "there is no month 0000-01"),
        ("2024-2-3", "did you mean 2024-02-03?"), ("2024-2", "did you mean 2024-02?"),
        ("2024/02/03", "did you mean 2024-02-03?"), ("20240203", "did you mean 2024-02-03?"),
        ("2024.2", "did you mean 2024-02?"), ("2024-02-03 ", "did you mean 2024-02-03?"),
        ("tomorow", "is not a day"), ("tody", "did you mean today?"), ("Today", "did you mean today?"),
        ("yesterdy", "did you mean yesterday?"), ("banana", "\"banana\" is not a day"), ("", "\"\" is not a day"),
        ("-", "is not a day"), ("--", "is not a day"), ("2024-", "is not a day"), ("2024-02-", "is not a day"),
        ("-2024", "is not a day"), ("+202", "is not a day"), ("24", "is not a day"), ("20240", "is not a day"),
        ("20241332", "is not a day"), ("2024-02-03-04", "is not a day"), ("3.2.2024", "is not a day"),
        // Digits of other scripts are not accepted in dates.
        ("٢٠٢٤-٠٢-٠٣", "is not a day"), ("２０２４", "is not a day"), ("2024‐02‐03", "is not a day"),
        ("99999999999999999999-1-1", "is not a day"),
    ])
    func textThatIsNotADayIsRefusedWithAHintAndTheValidRange(_ text: String, _ words: String) {
        let failure = #expect(throws: UsageFailure.self) { try NamedDays(typed: text, at: now) }
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("; use a day from 1995-06-16 to 2026-11-20") == true)
        #expect(failure?.exitCode == .usage)
    }

    @Test(arguments: [
        ("..2024", "use 1995-06-16..2024"), ("..", "without a first day"),
        ("2024..2025..2026", "\"2025..2026\" is a range; use a single day, month or year"),
        ("2024..tody", "did you mean today?"),
        ("2024-02-30..2024", "there is no day 2024-02-30"), ("2024...2025", "\".2025\" is not a day"),
    ])
    func invalidRangeIsRefused(_ text: String, _ words: String) {
        let failure = #expect(throws: UsageFailure.self) { try NamedDays(typed: text, at: now) }
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
    }

    @Test func everyDayMonthAndYearIsParsedFromItsDescription() throws {
        for number in stride(from: PublishedDays.first.daysSince1970, through: 25_000, by: 3) {
            let some = CalendarDay(daysSince1970: number)
            for days in [NamedDays.day(some), .month(some.month, year: some.year), .year(some.year)] {
                #expect(try NamedDays(typed: days.description, at: now) == days)
                let span = days.span(newest: some)
                #expect(span.contains(some))
                #expect(span.upperBound.advanced(by: 1).day == 1 || days == .day(some))
                #expect(span.lowerBound.day == 1 || days == .day(some))
            }
        }
    }
}
