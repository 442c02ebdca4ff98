import Support

/// Which days have a picture.
public enum PublishedDays {
    /// The day of the first picture.
    public static let first = day(1995, 6, 16)

    /// The days since then that never had one: the three after the first, and 2020-06-10, when APOD was silent. Both
    /// services answer 404 for them.
    public static let gaps: Set<CalendarDay> = [day(1995, 6, 17), day(1995, 6, 18), day(1995, 6, 19), day(2020, 6, 10)]

    /// The newest day that may be published at `time`: the date at UTC-4.
    ///
    /// NASA publishes at 00:05 US Eastern time, which is UTC-4 in summer and UTC-5 in winter. At UTC-4 a picture that is
    /// out is never overlooked, whatever the season, without a table of daylight saving rules; the price is one request
    /// that answers 404 in the five minutes after midnight, and in the hour before it in winter. A start at UTC+14, where
    /// the date changes first, would pay it for eighteen hours of each day.
    public static func newest(at time: Timestamp) -> CalendarDay {
        max(first, CalendarDay(at: time, offset: .seconds(-4 * 3600)))
    }

    /// The last day that isn't in the future anywhere: the date at UTC+14. Nobody who says "today" is refused.
    public static func latestToday(at time: Timestamp) -> CalendarDay {
        max(first, CalendarDay(at: time, offset: .seconds(14 * 3600)))
    }

    /// Throws `UsageFailure` for a day before the first picture or in the future; it names the range that is valid.
    public static func check(_ day: CalendarDay, at time: Timestamp) throws {
        let last = latestToday(at: time)
        guard day < first || day > last else { return }
        throw UsageFailure(
            "\(day) is \(day < first ? "before the first picture of the day" : "in the future")"
                + "; give a day from \(first) to \(last)")
    }

    /// The days from `start` to `end` that have a picture, in ascending order.
    public static func days(from start: CalendarDay, through end: CalendarDay) -> [CalendarDay] {
        guard start <= end else { return [] }
        return (start.daysSince1970...end.daysSince1970).map(CalendarDay.init(daysSince1970:)).filter { !gaps.contains($0) }
    }

    /// - Precondition: the calendar has such a day; only constants of this file are given.
    private static func day(_ year: Int, _ month: Int, _ day: Int) -> CalendarDay {
        CalendarDay(year: year, month: month, day: day) ?? CalendarDay(daysSince1970: 0)
    }
}

extension CalendarDay {
    /// The day that a person wrote as `2024-02-03`. Throws `UsageFailure`, which tells a day that no calendar has
    /// (`2024-02-30`) from text that is no day at all.
    public init(typed text: String) throws {
        if let day = CalendarDay(text) {
            self = day
            return
        }
        let hasShape = text.utf8.enumerated().allSatisfy { index, byte in
            index == 4 || index == 7 ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        throw UsageFailure(
            hasShape && text.utf8.count == 10
                ? "there is no day \(text) in the calendar"
                : "'\(text)' is not a day; write it as YYYY-MM-DD, such as 2024-02-03")
    }
}
