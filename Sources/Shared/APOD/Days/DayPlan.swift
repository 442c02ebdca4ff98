import Support

/// The days to fetch, in order. Planning depends only on the arguments and the time, and makes no request.
public struct DayPlan: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        /// A day. If it is not published yet, its result is a failure.
        case day(CalendarDay)
        /// A day of a range, skipped if it is not published yet.
        case dayIfPublished(CalendarDay)
        /// This number of published days, oldest first, up to `from`. If `from` is not published yet, the last day is
        /// the newest published day before it.
        case newest(Int, from: CalendarDay)
    }

    let steps: [Step]
    /// The days in the requested ranges that never had a picture, in ascending order. `steps` does not contain them.
    public let gaps: [CalendarDay]
    /// Whether the newest day is returned only once, even if several steps name it.
    let givesNewestOnce: Bool

    init(steps: [Step], gaps: [CalendarDay] = [], givesNewestOnce: Bool = false) {
        self.steps = steps
        self.gaps = gaps
        self.givesNewestOnce = givesNewestOnce
    }

    /// The number of days if all are published.
    public var dayCount: Int { steps.reduce(0) { if case .newest(let count, _) = $1 { $0 + count } else { $0 + 1 } } }

    public static func noteGaps(_ gaps: [CalendarDay], _ log: Log) {
        if gaps.isEmpty { return }
        log.notice("no picture of the day was published on \(gaps.map(\.description).list(before: "and")); skipped")
    }

    // MARK: Plans for a request

    /// Returns a plan for these days in the given order. The plan contains the newest day only once. Throws
    /// `UsageFailure` for an impossible day; the message states the valid range.
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

    /// Returns a plan for the newest `count` pictures. Throws `UsageFailure` if fewer have been published.
    static func last(_ count: Int, at time: Timestamp) throws -> DayPlan {
        let newest = PublishedDays.newest(at: time)
        try check(count, of: PublishedDays.count(through: newest))
        return DayPlan(steps: [.newest(count, from: newest)])
    }

    /// Returns a plan for random days. The days are drawn locally, because the new service cannot select random days. A
    /// seed always draws the same days in the same order, except that later runs may also draw newly published days.
    /// Throws `UsageFailure` if fewer days have a picture.
    static func random(_ count: Int, seed: UInt64, at time: Timestamp) throws -> DayPlan {
        // The newest day may not be published yet.
        var lottery = DayLottery(through: PublishedDays.newest(at: time).advanced(by: -1), seed: seed)
        try check(count, of: lottery.published)
        return DayPlan(steps: lottery.draw(count).map(Step.day))
    }

    /// Returns a plan from the beginning of `start` to the end of `end`, or to the newest day if `end` is nil. Throws
    /// `UsageFailure` for impossible days; the message states the valid range.
    static func range(from start: NamedDays, through end: NamedDays?, at time: Timestamp) throws -> DayPlan {
        let newest = PublishedDays.newest(at: time)
        let starting = start.span(newest: newest)
        try PublishedDays.check(starting, called: start.description, at: time)
        let first = max(starting.lowerBound, PublishedDays.first)
        let ending = (end ?? .today).span(newest: newest)
        if let end { try PublishedDays.check(ending, called: end.description, at: time) }
        // A user in a time zone where the next day has begun may name a start that is later than the newest day that
        // NASA can have published.
        let last = end == nil ? max(first, newest) : ending.upperBound
        guard first <= last else { throw UsageFailure("the range ends on \(last), before its start on \(first)") }
        let end =
            switch end {
            // If the user named the last day and it is not published yet, keep it in the plan, so that the run reports
            // it as skipped. All other ranges end with the newest day.
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
            throw UsageFailure("no picture of the day has been published yet; check this machine's clock")
        }
        throw UsageFailure("invalid number of days: \(count); use a number from 1 to \(published)")
    }
}
