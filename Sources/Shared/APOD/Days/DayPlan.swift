import Support

/// Which days to ask for, step by step: what somebody wants, worked out for a point in time without a request.
public struct DayPlan: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        /// A day whose failure is told.
        case day(CalendarDay)
        /// A day of a range, which is left out if it isn't published yet.
        case dayIfPublished(CalendarDay)
        /// That many of the newest published days, the oldest first. The last is this day, or the newest before it as
        /// long as it isn't out.
        case newest(Int, from: CalendarDay)
    }

    let steps: [Step]
    /// Days inside the ranges that never had a picture, ascending: there is no step for them.
    public let gaps: [CalendarDay]
    /// Whether the day that turns out to be the newest is given once, even if another step names it too.
    let givesNewestOnce: Bool

    init(steps: [Step], gaps: [CalendarDay] = [], givesNewestOnce: Bool = false) {
        self.steps = steps
        self.gaps = gaps
        self.givesNewestOnce = givesNewestOnce
    }

    /// How many days there are in all, should each be published.
    public var dayCount: Int {
        steps.reduce(0) { if case .newest(let count, _) = $1 { $0 + count } else { $0 + 1 } }
    }

    /// Logs which of the days that were asked for never had a picture, if there are any.
    public static func noteGaps(_ gaps: [CalendarDay], _ log: Log) {
        guard let last = gaps.last else { return }
        let others = gaps.dropLast().map(\.description).joined(separator: ", ")
        log.notice("there was no picture of the day on \(others.isEmpty ? "" : "\(others) and ")\(last); left out")
    }

    // MARK: What somebody wants

    /// These days, in this order; the newest once, by whatever names. Throws `UsageFailure` for one that is impossible;
    /// its message names the valid ones.
    static func named(_ days: [NamedDays], at time: Timestamp) throws -> DayPlan {
        let newest = PublishedDays.newest(at: time)
        let parts = try days.map { days in
            switch days {
            case .today: return DayPlan(steps: [.newest(1, from: newest)])
            case .yesterday, .day:
                let day = days.span(newest: newest).lowerBound
                try PublishedDays.check(day, at: time)
                return DayPlan(steps: [.day(day)])
            case .month, .year: return try range(from: days, through: days, at: time)
            case .range(let start, let end): return try range(from: start, through: end, at: time)
            }
        }
        return DayPlan(
            steps: parts.flatMap(\.steps), gaps: Set(parts.flatMap(\.gaps)).sorted(),
            givesNewestOnce: days.count > 1)
    }

    /// The newest pictures, that many of them. Throws `UsageFailure` if there are not so many.
    static func last(_ count: Int, at time: Timestamp) throws -> DayPlan {
        let newest = PublishedDays.newest(at: time)
        try check(count, of: PublishedDays.count(through: newest))
        return DayPlan(steps: [.newest(count, from: newest)])
    }

    /// That many different days, drawn at random. The new service has no random mode, so they are drawn here: the same
    /// seed draws the same days in the same order, but for those that were published since. Throws `UsageFailure` if
    /// there are not so many.
    static func random(_ count: Int, seed: UInt64, at time: Timestamp) throws -> DayPlan {
        // The newest day may not be out yet.
        var lottery = DayLottery(through: PublishedDays.newest(at: time).advanced(by: -1), seed: seed)
        try check(count, of: lottery.published)
        return DayPlan(steps: lottery.draw(count).map(Step.day))
    }

    /// All days from the beginning of `start` to the end of `end`; to the newest one if `end` is nil. Throws
    /// `UsageFailure` if they are impossible; its message names the valid ones.
    static func range(from start: NamedDays, through end: NamedDays?, at time: Timestamp) throws -> DayPlan {
        let newest = PublishedDays.newest(at: time)
        let starting = start.span(newest: newest)
        try PublishedDays.check(starting, called: start.description, at: time)
        let first = max(starting.lowerBound, PublishedDays.first)
        let ending = (end ?? .today).span(newest: newest)
        if let end { try PublishedDays.check(ending, called: end.description, at: time) }
        // In the zones in which the new day has begun, the start may be later than the newest day.
        let last = end == nil ? max(first, newest) : ending.upperBound
        guard first <= last else { throw UsageFailure("the range ends on \(last), before it starts on \(first)") }
        let end =
            switch end {
            // The end of a named day is told if it isn't published, that of an open range isn't reached before.
            case .day, .yesterday: last
            case .today, .month, .year, .range, nil: min(last, max(first, newest))
            }
        return DayPlan(
            steps: PublishedDays.days(from: first, through: end).map(Step.dayIfPublished),
            gaps: PublishedDays.gaps(from: first, through: end))
    }

    private static func check(_ count: Int, of published: Int) throws {
        guard count < 1 || count > published else { return }
        guard published > 0 else {
            throw UsageFailure("no picture of the day is published yet; check the clock of this machine")
        }
        throw UsageFailure(
            "\(count) is not a number of days that have a picture; give one from 1 to \(published)")
    }
}
