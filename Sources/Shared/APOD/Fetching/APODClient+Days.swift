import Store
import Support

extension APODClient {
    /// Returns the results of a window, in order. All methods of this extension throw `Cancelled`, or a failure that
    /// ends the run.
    func results(of window: PlanWindows.Window) throws -> [DayResult] {
        switch window {
        case .known(let result): return try withFallback([result])
        case .newest(let day): return try withFallback(newest(1, from: day))
        case .days(let days, let optional):
            return try withFallback(
                results(of: days).filter { result in
                    guard optional.contains(result.day), case APODFailure.notPublished? = result.failure else {
                        return true
                    }
                    end.addUnpublished(result.day)
                    return false
                })
        }
    }

    /// Returns the result of each day, in order, from the cache or the services. Each answer is cached when it arrives.
    /// If a request for several days fails, or its answer omits days, the missing days are requested singly.
    func results(of days: [CalendarDay]) throws -> [DayResult] {
        var old: [CalendarDay: DayResult] = [:]
        // Days that never had a picture need no request.
        var seen = PublishedDays.gaps
        let answers = try answers(for: days.filter { seen.insert($0).inserted }) { days, service in
            let kept = try keptDays(days, of: service.service)
            old.merge(kept.old) { first, _ in first }
            return try kept.fresh.merging(ask(for: days.filter { kept.fresh[$0] == nil }, service)) { kept, _ in kept }
        }
        return days.map { day in
            guard let result = answers[day] else { return failed(day, APODFailure.noPicture(day)) }
            if let failure = result.failure, ServiceChoice.isOutOfReach(failure), let kept = old[day] {
                return stale(kept, after: failure)
            }
            return result
        }
    }

    /// Queries the services in order. Each service is queried for the days that the previous services could not return.
    ///
    /// If all services fail, the result is the failure of the first service, which may be transient. The failure of a
    /// classic server is less useful: since October 2026, such a server may return only NASA's logo, which is a
    /// permanent failure.
    ///
    /// - Parameter ask: returns the results of a service. If it returns no result for a day, later services are not
    ///   queried for that day.
    func answers(
        for days: [CalendarDay], ask: ([CalendarDay], ServiceClient) throws -> [CalendarDay: DayResult]
    ) rethrows -> [CalendarDay: DayResult] {
        var results: [CalendarDay: DayResult] = [:]
        var left = days
        for service in services where !left.isEmpty {
            let answers = try ask(left, service)
            var next: [CalendarDay] = []
            for day in left {
                guard let answer = answers[day] else { continue }
                if let failure = answer.failure {
                    if service.service != services.last?.service, ServiceChoice.asksNext(after: failure) {
                        next.append(day)
                    }
                    if results[day] != nil {
                        log.detail(failure.message)
                        continue
                    }
                }
                results[day] = answer
            }
            if let first = next.first, let failure = answers[first]?.failure {
                let number = days.count == 1 ? "" : " for \(next.count) of \(days.count) days"
                log.detail("\(failure.message); trying the server in APOD_API_URL\(number)")
            }
            left = next
        }
        return results
    }

    // MARK: Cached days

    /// Returns the fresh cached results, and the expired cached pictures (`old`), which are used if no service can be
    /// reached.
    func keptDays(
        _ days: [CalendarDay], of service: Service
    ) throws -> (fresh: [CalendarDay: DayResult], old: [CalendarDay: DayResult]) {
        var fresh: [CalendarDay: DayResult] = [:]
        var old: [CalendarDay: DayResult] = [:]
        guard let first = days.min(), let last = days.max() else { return (fresh, old) }
        let now = clock.now()
        func add(_ kept: CachedDay) {
            var result = kept.result
            result.source = .cache
            if !options.raw { result.raw = nil }
            if !options.refreshes, kept.isFresh(at: now, needsRaw: options.raw) {
                fresh[result.day] = result
            } else if result.picture != nil {
                old[result.day] = result
            }
        }
        try store.days(from: first, through: last, of: service).forEach(add)
        if !options.refreshes {
            let newest = PublishedDays.newest(at: now)
            try store.sharedDays(days.filter { fresh[$0] == nil && $0 < newest }, of: service).forEach(add)
        }
        return (fresh, old)
    }

    func freshResult(of day: CalendarDay, _ service: Service) throws -> DayResult? {
        try keptDays([day], of: service).fresh[day]
    }

    /// Returns the first service's cached picture if it is fresh and needs no fallback, otherwise nil.
    func keptPicture(of day: CalendarDay) throws -> DayResult? {
        guard let service = services.first?.service, let result = try freshResult(of: day, service),
            let picture = result.picture, picture.mediaType == .image || !options.fallsBack
        else { return nil }
        return result
    }

    /// Caches the answers and returns them. Removes the services' JSON objects unless `options.raw` requests them.
    ///
    /// A failure never replaces a cached picture: NASA's failures are often temporary, while a picture that is lost at
    /// NASA may never return.
    func keep(_ answers: [CalendarDay: DayResult], of service: Service) throws -> [CalendarDay: DayResult] {
        var answers = answers
        if !options.raw { for day in answers.keys { answers[day]?.raw = nil } }
        var days = answers.values.compactMap { CachedDay($0) }
        let failed = days.filter { $0.result.picture == nil }.map(\.result.day)
        if let first = failed.min(), let last = failed.max() {
            let known = try store.days(from: first, through: last, of: service).filter { $0.result.picture != nil }
            let pictures = Set(known.map(\.result.day))
            days.removeAll { $0.result.picture == nil && pictures.contains($0.result.day) }
        }
        try store.keep(days, of: service)
        return answers
    }

    // MARK: Requests

    private func ask(for days: [CalendarDay], _ service: ServiceClient) throws -> [CalendarDay: DayResult] {
        if options.isOffline { return Dictionary(uniqueKeysWithValues: days.map { ($0, offline($0)) }) }
        var results: [CalendarDay: DayResult] = [:]
        var rest = days[...]
        while !rest.isEmpty {
            var window = rest.prefix(service.service.daysPerRequest(of: rest))
            rest = rest.dropFirst(window.count)
            let turn = try turn(toAsk: service, for: window)
            defer { withExtendedLifetime(turn) {} }
            if turn != nil {
                // Another process may have fetched these days.
                results.merge(try keptDays(Array(window), of: service.service).fresh) { $1 }
                window = window.filter { results[$0] == nil }[...]
            }
            if window.count > 1, let page = try askPage(of: window, service) {
                results.merge(page) { $1 }
                try results.merge(unpublished(of: window, leftOutOf: page, service)) { $1 }
            }
            for day in window where results[day] == nil { results[day] = try ask(for: day, service) }
        }
        return results
    }

    /// Acquires the lock for requesting these days, so that other processes wait for the answer instead of requesting
    /// it too. Returns nil for a refresh, or if answers cannot be cached.
    private func turn(toAsk service: ServiceClient, for days: ArraySlice<CalendarDay>) throws -> KeyLock? {
        guard !options.refreshes, let first = days.min(), let last = days.max() else { return nil }
        return try store.turn(toAsk: service.service, for: first == last ? "\(first)" : "\(first)-\(last)")
    }

    func ask(for day: CalendarDay, _ service: ServiceClient) throws -> DayResult {
        if options.isOffline { return offline(day) }
        let result: DayResult
        do {
            result = try service.answer(of: day)
        } catch {
            let failure = failure(of: error)
            if failure is Cancelled { throw failure }
            result = failed(day, try isUnpublished(day, failure, service) ? APODFailure.notPublished(day) : failure)
        }
        return try keep([day: result], of: service.service)[day] ?? result
    }

    /// Requests neighbouring days from a service with one request. Returns nil if the days must be requested singly.
    private func askPage(
        of days: ArraySlice<CalendarDay>, _ service: ServiceClient
    ) throws -> [CalendarDay: DayResult]? {
        guard let first = days.min(), let last = days.max() else { return nil }
        let answers: [CalendarDay: DayResult]
        do {
            answers = try service.answers(from: first, through: last)
        } catch {
            let failure = failure(of: error)
            if failure is Cancelled { throw failure }
            guard ServiceClient.mayBeOneDays(failure), service.outage.reason == nil else {
                return Dictionary(uniqueKeysWithValues: days.map { ($0, failed($0, failure)) })
            }
            log.detail("\(failure.message); requesting each day from \(first) to \(last)")
            return nil
        }
        return try keep(answers, of: service.service)
    }

    private func offline(_ day: CalendarDay) -> DayResult {
        failed(day, CacheFailure.offline(key: "the picture of \(day)"))
    }

    func failed(_ day: CalendarDay, _ failure: any Failure) -> DayResult {
        DayResult(day: day, outcome: .failed(failure), fetchedAt: clock.now())
    }
}
