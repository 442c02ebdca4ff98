import Support

/// A request worked out for a point in time: what to ask for, step by step.
public struct DayPlan: Sendable, Equatable {
    public enum Step: Sendable, Equatable {
        /// A day whose failure is told.
        case day(CalendarDay)
        /// A day at an open end, which is left out quietly if it isn't published yet.
        case dayIfPublished(CalendarDay)
        /// The newest picture: this day's, or that of the day before as long as it isn't out, `DayPlan.stepsBack` times
        /// at most.
        case newest(from: CalendarDay)
        /// That many of the newest published days with a picture, up to this day, the oldest first.
        case last(Int, from: CalendarDay)
    }

    public let steps: [Step]
    /// Days inside the ranges that never had a picture, ascending: there is no step for them.
    public let gaps: [CalendarDay]

    /// How many days `newest` goes back: a day's silence has happened, three in a row only in the first week.
    public static let stepsBack = 3

    public init(steps: [Step], gaps: [CalendarDay] = []) {
        self.steps = steps
        self.gaps = gaps
    }

    /// How many days there are in all, should each be published.
    public var dayCount: Int {
        steps.reduce(0) { if case .last(let count, _) = $1 { $0 + count } else { $0 + 1 } }
    }

    /// Logs which of the days that were asked for never had a picture, if there are any.
    public static func noteGaps(_ gaps: [CalendarDay], _ log: Log) {
        guard let last = gaps.last else { return }
        let others = gaps.dropLast().map(\.description).joined(separator: ", ")
        log.notice("there was no picture of the day on \(others.isEmpty ? "" : "\(others) and ")\(last); left out")
    }

    /// Decides without a request. Throws `UsageFailure` for a day or a number that is impossible; its message names the
    /// valid ones.
    public init(_ request: DayRequest, at time: Timestamp) throws {
        let newest = PublishedDays.newest(at: time)
        switch request {
        case .named(let days):
            var steps: [Step] = []
            var gaps: Set<CalendarDay> = []
            for days in days {
                let part = try Self.part(days, newest: newest, at: time)
                steps += part.steps
                gaps.formUnion(part.gaps)
            }
            self.init(steps: steps, gaps: gaps.sorted())
        case .last(let count):
            try Self.check(count, of: PublishedDays.count(through: newest))
            self.init(steps: [.last(count, from: newest)])
        case .range(let start, let end):
            self = try Self.range(from: start, through: end, newest: newest, at: time)
        case .random(let count, let seed):
            // The newest day may not be out yet.
            var lottery = DayLottery(through: newest.advanced(by: -1), seed: seed)
            try Self.check(count, of: lottery.published)
            self.init(steps: lottery.draw(count).map(Step.day))
        }
    }

    // MARK: Parts

    private static func part(_ days: NamedDays, newest: CalendarDay, at time: Timestamp) throws -> DayPlan {
        switch days {
        case .today: return DayPlan(steps: [.newest(from: newest)])
        case .yesterday, .day:
            let day = days.span(newest: newest).lowerBound
            try PublishedDays.check(day, at: time)
            return DayPlan(steps: [.day(day)])
        case .month, .year:
            let span = days.span(newest: newest)
            try PublishedDays.check(span, called: days.description, at: time)
            let first = max(span.lowerBound, PublishedDays.first)
            return openRange(from: first, through: min(span.upperBound, max(first, newest)), newest: newest)
        }
    }

    private static func range(
        from start: NamedDays, through end: NamedDays?, newest: CalendarDay, at time: Timestamp
    ) throws -> DayPlan {
        let starting = start.span(newest: newest)
        try PublishedDays.check(starting, called: start.description, at: time)
        let first = max(starting.lowerBound, PublishedDays.first)
        let ending = (end ?? .today).span(newest: newest)
        if let end { try PublishedDays.check(ending, called: end.description, at: time) }
        // In the zones in which the new day has begun, the start may be later than the newest day.
        let last = end == nil ? max(first, newest) : ending.upperBound
        guard first <= last else { throw UsageFailure("the range ends on \(last), before it starts on \(first)") }
        switch end {
        case .day, .yesterday:
            let days = PublishedDays.days(from: first, through: last)
            return DayPlan(steps: days.map(Step.day), gaps: PublishedDays.gaps(from: first, through: last))
        case .today, .month, .year, nil:
            return openRange(from: first, through: min(last, max(first, newest)), newest: newest)
        }
    }

    /// Returns a range that does not end by a day of the calendar: days at its end that may not be out yet are left out
    /// quietly.
    private static func openRange(from first: CalendarDay, through last: CalendarDay, newest: CalendarDay) -> DayPlan {
        DayPlan(
            steps: PublishedDays.days(from: first, through: last).map { $0 < newest ? .day($0) : .dayIfPublished($0) },
            gaps: PublishedDays.gaps(from: first, through: last))
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
