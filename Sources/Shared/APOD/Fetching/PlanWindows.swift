import Support

/// The steps of a plan, cut one after the other into windows: what one request can answer, and one thread works on.
struct PlanWindows {
    enum Window: Sendable {
        /// Days, and those of them that are left out quietly if they aren't published yet.
        case days([CalendarDay], optional: Set<CalendarDay>)
        case newest(from: CalendarDay)
        /// What has been asked for already.
        case known(DayResult)
    }

    private var steps: ArraySlice<DayPlan.Step>
    /// The newest day that was asked for to learn which days are the last ones.
    private var known: [CalendarDay: DayResult] = [:]

    /// - Parameter newest: resolves the newest day; called once for each step that asks for several days back from it.
    init(_ steps: [DayPlan.Step], newest: (CalendarDay) throws -> DayResult) rethrows {
        var resolved: [DayPlan.Step] = []
        for step in steps {
            guard case .newest(let count, let day) = step, count > 1 else {
                resolved.append(step)
                continue
            }
            let result = try newest(day)
            let last = result.picture?.day ?? day
            known[last] = result.answering(last)
            let before = PublishedDays.days(from: PublishedDays.first, through: last.advanced(by: -1)).suffix(count - 1)
            resolved += before.map(DayPlan.Step.day) + [.day(last)]
        }
        self.steps = resolved[...]
    }

    var isAtEnd: Bool { steps.isEmpty }

    /// Returns the next window, or nil behind the last one.
    ///
    /// - Parameter service: the one that is asked first.
    mutating func next(for service: Service) -> Window? {
        guard let first = steps.first else { return nil }
        if !first.isDay {
            steps.removeFirst()
            return .newest(from: first.day)
        }
        if let result = known[first.day] {
            steps.removeFirst()
            return .known(result)
        }
        let others = steps.prefix(Service.mostDays).dropFirst().prefix { step in
            // A range of the old service fails as a whole when one day in it isn't out.
            step.isDay && known[step.day] == nil && !(step.isOptional && service == .api)
        }
        let window = ([first] + others).prefix(service.daysPerRequest(of: ([first] + others).map(\.day)))
        steps.removeFirst(window.count)
        return .days(window.map(\.day), optional: Set(window.filter(\.isOptional).map(\.day)))
    }
}

extension DayPlan.Step {
    /// The day, or the one from which the newest is looked for.
    fileprivate var day: CalendarDay {
        switch self {
        case .day(let day), .dayIfPublished(let day), .newest(_, let day): day
        }
    }

    fileprivate var isDay: Bool {
        switch self {
        case .day, .dayIfPublished: true
        case .newest: false
        }
    }

    fileprivate var isOptional: Bool { if case .dayIfPublished = self { true } else { false } }
}
