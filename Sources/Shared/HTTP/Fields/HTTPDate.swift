import Support

/// Dates in header fields (RFC 9110 §5.6.7).
public enum HTTPDate {
    /// Parses the three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
    /// `Sun Nov  6 08:49:37 1994`, in upper or lower case. Ignores the day of the week.
    ///
    /// - Parameter now: decides the century of a two-digit year, which is at most 50 years after `now`.
    public static func timestamp(_ text: String, now: Timestamp = .now()) -> Timestamp? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let weekday = words.first, words.count >= 4 else { return nil }
        guard weekday.last == "," else {
            // A day below 10 is padded with a space.
            let isPadded = words[2].isEmpty
            guard words.count == (isPadded ? 6 : 5) else { return nil }
            return timestamp(
                day: number(words[isPadded ? 3 : 2], digits: isPadded ? 1 : 2), month: words[1],
                year: number(words[words.count - 1], digits: 4), time: words[words.count - 2])
        }
        guard words[words.count - 1].lowercased() == "gmt" else { return nil }
        if words.count == 6 {
            return timestamp(
                day: number(words[1], digits: 2), month: words[2], year: number(words[3], digits: 4), time: words[4])
        }
        let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 4, parts.count == 3, let short = number(parts[2], digits: 2) else { return nil }
        let thisYear = CalendarDay(at: now).year
        var year = thisYear / 100 * 100 + short
        if year > thisYear + 50 { year -= 100 }
        return timestamp(day: number(parts[0], digits: 2), month: parts[1], year: year, time: words[2])
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func timestamp(day: Int?, month: Substring, year: Int?, time: Substring) -> Timestamp? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let year, let month = months.firstIndex(where: { $0.lowercased() == month.lowercased() }), let day,
            let date = CalendarDay(year: year, month: month + 1, day: day), clock.count == 3,
            let hour = number(clock[0], digits: 2), let minute = number(clock[1], digits: 2),
            let second = number(clock[2], digits: 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
        return Timestamp(milliseconds: Int64(seconds) * 1000)
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        text.utf8.count == digits ? Int(digits: text) : nil
    }
}
