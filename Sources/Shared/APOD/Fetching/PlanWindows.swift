import Support

/// The steps of a plan, cut one after the other into windows: what one request can answer, and one thread works on.
struct PlanWindows {
    enum Window: Sendable {
        /// Days, and those of them that are left out if they aren't published yet.
        case days([CalendarDay], optional: Set<CalendarDay>)
        case newest(from: CalendarDay)
        /// What has been asked for already.
        case known(DayResult)
    }

    private var steps: ArraySlice<DayPlan.Step>
    /// The newest day that may be published.
    private let newestDay: CalendarDay
    /// The newest days that were asked for to learn which days are the last ones.
    private var known: [CalendarDay: DayResult] = [:]

    /// - Parameters:
    ///   - newestDay: the newest day that may be published.
    ///   - newest: gives the newest days, oldest first, at least one and at most as many as it is asked for; called
    ///     once for each step whose days must be known before any other is asked for.
    ///   - earlier: gives that many published days before another one, oldest first, or as many as there are: asked for
    ///     those that the newest ones have no room for.
    init(
        _ plan: DayPlan, newestDay: CalendarDay, newest: (Int, CalendarDay) throws -> [DayResult],
        earlier: (Int, CalendarDay) throws -> [DayResult]
    ) rethrows {
        self.newestDay = newestDay
        var resolved: [DayPlan.Step] = []
        var newestDays: Set<CalendarDay> = []
        for step in plan.steps {
            guard case .newest(let count, let day) = step, count > 1 || plan.givesNewestOnce else {
                resolved.append(step)
                continue
            }
            if plan.givesNewestOnce, !newestDays.isEmpty { continue }
            let results = try newest(min(count, Service.pageLimit), day)
            guard let first = results.first?.day, let last = results.last else { continue }
            // The others that failed may be in the next service.
            for result in results where result.picture != nil { known[result.day] = result }
            known[last.day] = last
            newestDays.insert(last.day)
            let others = count > results.count ? try earlier(count - results.count, first) : []
            for result in others { known[result.day] = result }
            resolved += (others + results).map { .day($0.day) }
        }
        if plan.givesNewestOnce {
            var seen: Set<CalendarDay> = []
            resolved.removeAll { newestDays.contains($0.day) && !seen.insert($0.day).inserted }
        }
        steps = resolved[...]
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
            step.isDay && known[step.day] == nil && !(step.isOptional && service == .api && step.day >= newestDay)
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
