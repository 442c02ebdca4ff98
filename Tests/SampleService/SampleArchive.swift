import Support

/// The days of the archive: all days since the first except NASA's gaps, up to 2094, the last year that six digits can
/// express.
enum SampleArchive {
    static let first = CalendarDay(daysSince1970: 9297)  // 1995-06-16

    static let days: [CalendarDay] = {
        let last = 45_655  // 2094-12-31
        return (first.daysSince1970...last).map(CalendarDay.init).filter { !gaps.contains($0) }
    }()

    /// 1995-06-17 to 1995-06-19, and 2020-06-10.
    private static let gaps = Set([9298, 9299, 9300, 18_423].map(CalendarDay.init(daysSince1970:)))

    /// Returns the days from `start` to `end`, in ascending order. Cost: two binary searches.
    static func days(from start: CalendarDay, through end: CalendarDay) -> ArraySlice<CalendarDay> {
        let lower = position(of: start)
        return days[lower..<max(lower, position(of: end.advanced(by: 1)))]
    }

    static func has(_ day: CalendarDay) -> Bool { !days(from: day, through: day).isEmpty }

    /// Returns the index of `day`, or of the next day in the archive.
    private static func position(of day: CalendarDay) -> Int {
        var range = 0..<days.count
        while let middle = range.isEmpty ? nil : (range.lowerBound + range.upperBound) / 2 {
            range = days[middle] < day ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
