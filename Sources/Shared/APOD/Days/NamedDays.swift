import Support

/// The days that a word names, in a value of `--date` or on a line of standard input.
indirect enum NamedDays: Sendable, Equatable, CustomStringConvertible {
    /// The newest published day.
    case today
    /// The day before the newest day that may be published.
    case yesterday
    case day(CalendarDay)
    /// All days of a month, 1 to 12.
    case month(Int, year: Int)
    /// All days of a year, 1 to 9999.
    case year(Int)
    /// The days from the beginning of the first value to the end of the second, or to the newest day if the second is
    /// nil. Neither value is itself a range.
    case range(NamedDays, through: NamedDays?)

    /// Reads `today`, `yesterday`, `2024-02-03`, `2024-02` or `2024`, or a range such as `2024-02-03..2024-03` or
    /// `2024..`.
    ///
    /// Throws `UsageFailure` for other texts; the message distinguishes dates that do not exist (`2024-02-30`,
    /// `2024-13`) from texts that are not dates. `DayPlan` refuses valid dates without a picture.
    ///
    /// - Parameter time: determines the range of valid days in messages.
    init(typed text: String, at time: Timestamp) throws {
        if let ends = Self.ends(of: text) {
            guard !ends.start.isEmpty else {
                throw UsageFailure("\"\(text)\" is a range without a first day; use \(PublishedDays.first)\(text)")
            }
            let last = ends.end.isEmpty ? nil : try NamedDays(end: ends.end, at: time)
            self = .range(try NamedDays(end: ends.start, at: time), through: last)
            return
        }
        switch text {
        case "today": self = .today
        case "yesterday": self = .yesterday
        default:
            let parts = Self.numbers(text)
            if let parts, let days = Self.inCalendar(parts) {
                self = days
                return
            }
            let range = PublishedDays.rangeAdvice(at: time)
            guard let parts else {
                throw UsageFailure("\"\(Self.quoted(text))\" is not a day; \(range)\(Self.advice(for: text))")
            }
            let unit = ["year", "month", "day"][parts.count - 1]
            throw UsageFailure("there is no \(unit) \(text) in the calendar; \(range)")
        }
    }

    /// Reads the first or last day of a range.
    private init(end text: String, at time: Timestamp) throws {
        try self.init(typed: text, at: time)
        if case .range = self { throw UsageFailure("\"\(text)\" is a range; use a single day, month or year") }
    }

    var description: String {
        switch self {
        case .today: "today"
        case .yesterday: "yesterday"
        case .day(let day): day.description
        case .month(let month, let year): String(Self.first(month, year).description.prefix(7))
        case .year(let year): String(Self.first(1, year).description.prefix(4))
        case .range(let start, let end): "\(start)..\(end?.description ?? "")"
        }
    }

    /// Returns the first and the last day, with or without pictures.
    ///
    /// - Parameter newest: the newest day that may be published.
    func span(newest: CalendarDay) -> ClosedRange<CalendarDay> {
        switch self {
        case .today: return newest...newest
        case .yesterday: return newest.advanced(by: -1)...newest.advanced(by: -1)
        case .day(let day): return day...day
        case .month(let month, let year): return Self.first(month, year)...Self.last(month, year)
        case .year(let year): return Self.first(1, year)...Self.last(12, year)
        case .range(let start, let end):
            let first = start.span(newest: newest).lowerBound
            return first...max(first, (end ?? .today).span(newest: newest).upperBound)
        }
    }

    // MARK: Reading

    /// Splits the text at the first `..`. Returns nil if the text contains no `..`.
    private static func ends(of text: String) -> (start: String, end: String)? {
        guard text.utf8.count <= longest, let start = text.prefix(before: "..") else { return nil }
        return (String(start), String(decoding: text.utf8.dropFirst(start.utf8.count + 2), as: UTF8.self))
    }

    /// Returns the numbers in `2024`, `2024-02` or `2024-02-03`. Returns nil for other texts, or if a number has more
    /// or fewer ASCII digits than in these examples.
    private static func numbers(_ text: String) -> [Int]? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 3, parts.map(\.utf8.count) == Array([4, 2, 2].prefix(parts.count)) else { return nil }
        let numbers = parts.compactMap { Int(digits: $0) }
        return numbers.count == parts.count ? numbers : nil
    }

    /// Returns nil if the calendar has no such day.
    private static func inCalendar(_ numbers: [Int]) -> NamedDays? {
        let day = CalendarDay(
            year: numbers[0], month: numbers.count > 1 ? numbers[1] : 1, day: numbers.count > 2 ? numbers[2] : 1)
        guard let day else { return nil }
        return switch numbers.count {
        case 1: .year(day.year)
        case 2: .month(day.month, year: day.year)
        default: .day(day)
        }
    }

    /// The maximum length in bytes of a text that is parsed or quoted in full. No date is longer. A line of standard
    /// input may have 16 MiB.
    private static let longest = 40

    private static func quoted(_ text: String) -> String {
        text.utf8.count <= longest ? text : "\(String(text.unicodeScalars.prefix(longest)))…"
    }

    /// Suggests a day for a text that is not a day: a misspelt word, or a date in another notation that begins with the
    /// year (`2024-2-3`, `2024/02/03`, `20240203`).
    private static func advice(for text: String) -> String {
        guard text.utf8.count <= longest else { return "" }
        var parts = text.utf8.split { !$0.isDigit }.map { String(Substring($0)) }
        if parts.count == 1, parts[0].count == 8, parts[0] == text {
            parts = [String(text.prefix(4)), String(text.dropFirst(4).prefix(2)), String(text.suffix(2))]
        }
        let numbers = parts.compactMap { Int($0) }
        if (2...3).contains(numbers.count), numbers.count == parts.count, parts[0].count == 4, text.hasPrefix(parts[0]),
            parts.dropFirst().allSatisfy({ $0.count <= 2 }), let days = inCalendar(numbers)
        {
            return "; did you mean \(days)?"
        }
        return NearMatch.advice(for: text, among: ["today", "yesterday"])
    }

    /// - Precondition: `inCalendar` accepted the numbers.
    private static func first(_ month: Int, _ year: Int) -> CalendarDay { day(1, month, year) }

    private static func last(_ month: Int, _ year: Int) -> CalendarDay {
        day(CalendarDay.length(ofMonth: month, year: year), month, year)
    }

    private static func day(_ day: Int, _ month: Int, _ year: Int) -> CalendarDay {
        CalendarDay(year: year, month: month, day: day) ?? PublishedDays.first
    }
}
