import Support

/// The steps of a plan, cut one after the other into what is worked on at once.
struct PlanWindows {
    enum Window: Sendable {
        /// Days, and those of them that are left out quietly if they aren't published yet.
        case days([CalendarDay], optional: Set<CalendarDay>)
        case newest(from: CalendarDay)
        /// What has been asked for already.
        case known(DayResult)
    }

    private var steps: [DayPlan.Step]
    private var place = 0
    /// What stands for the steps that ask for several of the newest days: the newest comes last.
    private var known: [CalendarDay: DayResult] = [:]

    /// - Parameter newest: resolves the newest day; called once for each step that asks for several days back from it.
    init(_ steps: [DayPlan.Step], newest: (CalendarDay) throws -> DayResult) rethrows {
        guard steps.contains(where: { if case .last = $0 { true } else { false } }) else {
            self.steps = steps
            return
        }
        self.steps = []
        for step in steps {
            guard case .last(let count, let day) = step, count > 1 else {
                self.steps.append(step)
                continue
            }
            let result = try newest(day)
            let last = result.picture?.day ?? day
            known[last] = result.answering(last)
            let before = PublishedDays.days(from: PublishedDays.first, through: last.advanced(by: -1)).suffix(count - 1)
            self.steps += before.map(DayPlan.Step.day) + [.day(last)]
        }
    }

    var isAtEnd: Bool { place == steps.count }

    /// The next window; nil behind the last one.
    ///
    /// - Parameter service: the one that is asked first.
    mutating func next(for service: Service) -> Window? {
        guard !isAtEnd else { return nil }
        let step = steps[place]
        place += 1
        switch step {
        case .newest(let day), .last(_, let day): return .newest(from: day)
        case .day(let day), .dayIfPublished(let day):
            if let result = known[day] { return .known(result) }
            var window = PageWindow(day, for: service)
            var optional: Set<CalendarDay> = []
            if case .dayIfPublished = step { optional.insert(day) }
            while !isAtEnd {
                switch steps[place] {
                case .day(let day) where known[day] == nil && window.add(day): break
                // A range of the old service fails as a whole when one day in it isn't out.
                case .dayIfPublished(let day) where service == .science && known[day] == nil && window.add(day):
                    optional.insert(day)
                default: return .days(window.days, optional: optional)
                }
                place += 1
            }
            return .days(window.days, optional: optional)
        }
    }
}
