import Support

/// The days that have a picture. Ranges are in ascending order.
enum PublishedDays {
    static let first = day(1995, 6, 16)

    /// The days that never had a picture: the three days after the first picture, and 2020-06-10. Both services answer
    /// 404 for them.
    static let gaps: Set<CalendarDay> = [day(1995, 6, 17), day(1995, 6, 18), day(1995, 6, 19), day(2020, 6, 10)]

    /// Returns the newest day that may be published: the date at UTC-4.
    ///
    /// NASA publishes at 00:05 US Eastern time, which is UTC-4 in summer and UTC-5 in winter. UTC-4 never misses a
    /// published picture in any season, and needs no daylight saving rules. As a drawback, the first request fails with
    /// 404 during the five minutes after US Eastern midnight and, in winter, during the hour before it. With UTC+14,
    /// the first time zone to begin a day, the first request would fail for eighteen hours a day.
    static func newest(at time: Timestamp) -> CalendarDay {
        max(first, CalendarDay(at: time, offset: .seconds(-4 * 3600)))
    }

    /// The last day that a user can name, or that a service can list.
    static let last = day(9999, 12, 31)

    /// Returns the date at UTC+14, the latest date of all time zones, so that a user in any zone can name the local
    /// date.
    static func latestToday(at time: Timestamp) -> CalendarDay {
        max(first, CalendarDay(at: time, offset: .seconds(14 * 3600)))
    }

    /// Throws `UsageFailure` for a day before the first picture or in the future; the message states the valid range.
    static func check(_ day: CalendarDay, at time: Timestamp) throws {
        try check(day...day, called: day.description, at: time)
    }

    /// Throws `UsageFailure` if all days are before the first picture or in the future.
    static func check(_ days: ClosedRange<CalendarDay>, called name: String, at time: Timestamp) throws {
        let isEarly = days.upperBound < first
        guard isEarly || days.lowerBound > latestToday(at: time) else { return }
        throw UsageFailure(
            "\(name) is \(isEarly ? "before the first picture of the day" : "in the future"); \(rangeAdvice(at: time))")
    }

    /// Returns the range of valid days as advice for the end of a message.
    static func rangeAdvice(at time: Timestamp) -> String { "use a day from \(first) to \(latestToday(at: time))" }

    /// Returns the days that have a picture.
    static func days(from start: CalendarDay, through end: CalendarDay) -> [CalendarDay] {
        guard start <= end else { return [] }
        let days = (start.daysSince1970...end.daysSince1970).map(CalendarDay.init(daysSince1970:))
        return days.filter { !gaps.contains($0) }
    }

    /// Returns the days that never had a picture.
    static func gaps(from start: CalendarDay, through end: CalendarDay) -> [CalendarDay] {
        gaps.filter { start <= $0 && $0 <= end }.sorted()
    }

    /// Returns the number of days with a picture up to `end`.
    static func count(through end: CalendarDay) -> Int {
        max(0, end.daysSince1970 - first.daysSince1970 + 1 - gaps.count { $0 <= end })
    }

    /// - Precondition: the calendar has such a day.
    private static func day(_ year: Int, _ month: Int, _ day: Int) -> CalendarDay {
        CalendarDay(year: year, month: month, day: day) ?? CalendarDay(daysSince1970: 0)
    }
}
