import Support

extension APODClient {
    /// Returns the cached days with a picture that matches the options, in ascending order. Makes no request. Throws
    /// `Cancelled`, or a failure that ends the run.
    ///
    /// - Parameter plan: the days to return, or nil for all cached days. If the plan contains the newest day, the
    ///   newest cached picture is used for it.
    public func wantedKeptDays(in plan: DayPlan? = nil) throws -> [CalendarDay] {
        let last = PublishedDays.latestToday(at: clock.now())
        var named = plan.map { Set($0.steps.compactMap(\.namedDay)) }
        if plan?.steps.contains(where: { $0.namedDay == nil }) == true, let newest = try newestKept(through: last)?.day
        {
            named?.insert(newest)
        }
        var days: [CalendarDay] = []
        var start = named.map { $0.min() ?? last } ?? PublishedDays.first
        let end = min(last, named?.max() ?? last)
        // Read a year at a time, because the texts of a year take 2 MB.
        while start <= end {
            try interruption.check()
            let stop = min(end, start.advanced(by: 365))
            var wanted: Set<CalendarDay> = []
            var seen: Set<CalendarDay> = []
            for service in services {
                for kept in try store.days(from: start, through: stop, of: service.service) {
                    guard kept.result.picture != nil, named?.contains(kept.result.day) ?? true,
                        seen.insert(kept.result.day).inserted
                    else { continue }
                    if options.exclusion(of: kept.result) == nil { wanted.insert(kept.result.day) }
                }
            }
            days += wanted.sorted()
            start = stop.advanced(by: 1)
        }
        return days
    }

    public func logNoMatch() {
        let words = options.words.map { " contains all of the words \"\($0.text)\"" } ?? " matches"
        log.notice("no cached day\(words); fetch more days first")
    }
}

extension DayPlan.Step {
    /// The day of the step, or nil for a step that requests the newest days.
    fileprivate var namedDay: CalendarDay? {
        switch self {
        case .day(let day), .dayIfPublished(let day): day
        case .newest: nil
        }
    }
}
