import Support

/// Divides the steps of a plan into windows. A window contains days that one request can fetch.
struct PlanWindows {
    enum Window: Sendable {
        /// Days to fetch. The `optional` days are skipped if they are not published yet.
        case days([CalendarDay], optional: Set<CalendarDay>)
        case newest(from: CalendarDay)
        /// A result that is already known.
        case known(DayResult)
    }

    private var steps: ArraySlice<DayPlan.Step>
    private let newestDay: CalendarDay
    /// Results of the requests that found the newest days.
    private var known: [CalendarDay: DayResult] = [:]

    /// - Parameters:
    ///   - newestDay: the newest day that may be published.
    ///   - newest: returns the newest published days up to a day, oldest first: at least one, and at most the given
    ///     number. Called once for each step that depends on the newest days.
    ///   - earlier: returns the given number of published days before a day, oldest first. Called if the newest days
    ///     exceed a page.
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
            // Apart from the newest day, treat only pictures as known: the next service may have the days that failed.
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

    /// Returns the next window, or nil at the end. `service` is the service that is queried first.
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
            // The old service refuses the whole range if one of its days is unpublished.
            step.isDay && known[step.day] == nil && !(step.isOptional && service == .api && step.day >= newestDay)
        }
        let window = ([first] + others).prefix(service.daysPerRequest(of: ([first] + others).map(\.day)))
        steps.removeFirst(window.count)
        return .days(window.map(\.day), optional: Set(window.filter(\.isOptional).map(\.day)))
    }
}

extension DayPlan.Step {
    /// The day of the step. For `newest`, the day at which the search for published days begins.
    fileprivate var day: CalendarDay {
        switch self {
        case .day(let day), .dayIfPublished(let day), .newest(_, let day): day
        }
    }

    fileprivate var isDay: Bool { if case .newest = self { false } else { true } }

    fileprivate var isOptional: Bool { if case .dayIfPublished = self { true } else { false } }
}
