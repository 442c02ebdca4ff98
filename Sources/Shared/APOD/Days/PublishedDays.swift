import Support

/// Which days have a picture.
enum PublishedDays {
    /// The day of the first picture.
    static let first = day(1995, 6, 16)

    /// The days since then that never had one: the three after the first, and 2020-06-10, when APOD was silent. Both
    /// services answer 404 for them.
    static let gaps: Set<CalendarDay> = [day(1995, 6, 17), day(1995, 6, 18), day(1995, 6, 19), day(2020, 6, 10)]

    /// Returns the newest day that may be published at `time`: the date at UTC-4.
    ///
    /// NASA publishes at 00:05 US Eastern time, which is UTC-4 in summer and UTC-5 in winter. At UTC-4 a picture that
    /// is out is never overlooked, whatever the season, without a table of daylight saving rules; the price is one
    /// request that answers 404 in the five minutes after midnight, and in the hour before it in winter. A start at
    /// UTC+14, the zone in which the date changes first, would pay it for eighteen hours of each day.
    static func newest(at time: Timestamp) -> CalendarDay {
        max(first, CalendarDay(at: time, offset: .seconds(-4 * 3600)))
    }

    /// The last day that can be named.
    static let last = day(9999, 12, 31)

    /// Returns the last day that isn't in the future anywhere: the date at UTC+14. Nobody who says "today" is refused.
    static func latestToday(at time: Timestamp) -> CalendarDay {
        max(first, CalendarDay(at: time, offset: .seconds(14 * 3600)))
    }

    /// Throws `UsageFailure` for a day before the first picture or in the future; it names the range that is valid.
    static func check(_ day: CalendarDay, at time: Timestamp) throws {
        try check(day...day, called: day.description, at: time)
    }

    /// Throws `UsageFailure` for days that are all before the first picture or in the future.
    static func check(_ days: ClosedRange<CalendarDay>, called name: String, at time: Timestamp) throws {
        let isEarly = days.upperBound < first
        guard isEarly || days.lowerBound > latestToday(at: time) else { return }
        throw UsageFailure(
            "\(name) is \(isEarly ? "before the first picture of the day" : "in the future"); \(rangeAdvice(at: time))")
    }

    /// Returns which days can be given, as the end of a message.
    static func rangeAdvice(at time: Timestamp) -> String { "give a day from \(first) to \(latestToday(at: time))" }

    /// Returns the days from `start` to `end` that have a picture, in ascending order.
    static func days(from start: CalendarDay, through end: CalendarDay) -> [CalendarDay] {
        guard start <= end else { return [] }
        let days = (start.daysSince1970...end.daysSince1970).map(CalendarDay.init(daysSince1970:))
        return days.filter { !gaps.contains($0) }
    }

    /// Returns the days from `start` to `end` that never had one, in ascending order.
    static func gaps(from start: CalendarDay, through end: CalendarDay) -> [CalendarDay] {
        gaps.filter { start <= $0 && $0 <= end }.sorted()
    }

    /// Returns how many days have a picture, from the first one to `end`.
    static func count(through end: CalendarDay) -> Int {
        max(0, end.daysSince1970 - first.daysSince1970 + 1 - gaps.count { $0 <= end })
    }

    /// - Precondition: the calendar has such a day; only constants of this file are given.
    private static func day(_ year: Int, _ month: Int, _ day: Int) -> CalendarDay {
        CalendarDay(year: year, month: month, day: day) ?? CalendarDay(daysSince1970: 0)
    }
}
