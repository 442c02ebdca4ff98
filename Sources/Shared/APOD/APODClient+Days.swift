import Store
import Fetch
import Tools
import HTTP
import Support

extension APODClient {
    /// What becomes of each of these days, in their order. Kept answers are not asked for again, and what is asked for
    /// is kept as it arrives.
    ///
    /// One broken day doesn't lose the others: a page that a service cannot give is asked for day by day, days that a
    /// page leaves out are asked for singly, and each day has its own result.
    ///
    /// Throws `Cancelled`, and a failure that ends the run.
    func results(of days: [CalendarDay]) throws -> [DayResult] {
        var old: [CalendarDay: KeptDay] = [:]
        // Nobody needs to be asked about a day that never had a picture.
        var seen = PublishedDays.gaps
        let asked = days.filter { seen.insert($0).inserted }
        let answers = try choice.answers(for: asked, log: log) { days, service in
            let kept = try keptDays(from: days, of: service)
            for (day, kept) in kept.old where old[day] == nil { old[day] = kept }
            let missing = days.filter { kept.fresh[$0] == nil }
            return try kept.fresh.merging(ask(for: missing, service)) { fresh, _ in fresh }
        }
        return days.map { day in
            guard let result = answers[day] else {
                return DayResult(day: day, outcome: .failed(APODFailure.noPicture(day)), fetchedAt: clock.now())
            }
            if let failure = result.failure, ServiceChoice.isOutOfReach(failure), let kept = old[day] {
                return settle(for: kept, after: failure)
            }
            return result
        }
    }

    /// What is kept of these days: what does instead of asking, and old pictures that are better than nothing.
    private func keptDays(
        from days: [CalendarDay], of service: Service
    ) throws -> (fresh: [CalendarDay: DayResult], old: [CalendarDay: KeptDay]) {
        var fresh: [CalendarDay: DayResult] = [:]
        var old: [CalendarDay: KeptDay] = [:]
        guard let store, let first = days.min(), let last = days.max() else { return (fresh, old) }
        let now = clock.now()
        for kept in try store.days(from: first, through: last, of: service) {
            if !options.refreshes, kept.isFresh(at: now, needsRaw: options.raw) {
                fresh[kept.day] = kept.result(source: .cache, withRaw: options.raw)
            } else if kept.picture != nil {
                old[kept.day] = kept
            }
        }
        return (fresh, old)
    }

    /// What is kept of a day and does instead of asking.
    func freshResult(of day: CalendarDay, _ service: Service) throws -> DayResult? {
        try keptDays(from: [day], of: service).fresh[day]
    }

    /// A day's picture where the service that is asked first has told it before and nobody needs to be asked again; nil
    /// where there is more to it.
    func keptPicture(of day: CalendarDay) throws -> DayResult? {
        guard let service = choice.order.first, let result = try freshResult(of: day, service),
            let picture = result.picture, picture.mediaType == .image || !options.fallsBack
        else { return nil }
        return result
    }

    // MARK: One service

    /// What one service says about each of these days.
    private func ask(for days: [CalendarDay], _ service: Service) throws -> [CalendarDay: DayResult] {
        var results: [CalendarDay: DayResult] = [:]
        if options.isOffline {
            for day in days { results[day] = offline(day) }
            return results
        }
        for window in PageWindows.windows(of: days, for: service) {
            if window.count > 1, let first = window.min(), let last = window.max() {
                let page = try askPage(from: first, through: last, service)
                results.merge(page.results) { $1 }
                if let failure = page.failure {
                    guard failure.mayBeOneDays, outages.reason(service) == nil else {
                        for day in window { results[day] = failed(day, failure.reason) }
                        continue
                    }
                    log.detail("\(failure.reason.message); asking day by day from \(first) to \(last)")
                }
            }
            for day in window where results[day] == nil { results[day] = try ask(for: day, service) }
        }
        return results
    }

    /// What one service says about a day.
    func ask(for day: CalendarDay, _ service: Service) throws -> DayResult {
        if options.isOffline { return offline(day) }
        switch try attempt(service, "\(day)", isPage: false, { try $0.answer(of: day) }) {
        case .success(let answer):
            let results = try keep([day: answer], of: service)
            return results[day] ?? failed(day, APODFailure.noPicture(day))
        case .failure(let fault):
            let result = failed(day, fault.reason)
            if let kept = KeptDay(day, result.outcome, raw: nil, fetchedAt: result.fetchedAt) {
                try keep([kept], of: service)
            }
            return result
        }
    }

    private func askPage(
        from first: CalendarDay, through last: CalendarDay, _ service: Service
    ) throws -> (results: [CalendarDay: DayResult], failure: Fault?) {
        let page = try attempt(service, "\(first) to \(last)", isPage: true) { client in
            try client.answers(from: first, through: last)
        }
        switch page {
        case .success(let answers): return (try keep(answers, of: service), nil)
        case .failure(let fault): return ([:], fault)
        }
    }

    private func offline(_ day: CalendarDay) -> DayResult {
        failed(day, CacheFailure.offline(key: "the picture of \(day)"))
    }

    func failed(_ day: CalendarDay, _ failure: any Failure) -> DayResult {
        DayResult(day: day, outcome: .failed(failure), fetchedAt: clock.now())
    }

    /// Keeps answers that have come, and gives them as results.
    private func keep(_ answers: [CalendarDay: AnsweredDay], of service: Service) throws -> [CalendarDay: DayResult] {
        let now = clock.now()
        var kept: [KeptDay] = []
        let results = Dictionary(
            uniqueKeysWithValues: answers.map { day, answer in
                let raw = options.raw ? answer.object : nil
                let outcome: DayResult.Outcome =
                    switch answer.outcome {
                    case .success(let picture): .picture(PictureRecord(picture))
                    case .failure(let failure): .failed(failure)
                    }
                if store != nil, let day = KeptDay(day, outcome, raw: raw, fetchedAt: now) { kept.append(day) }
                return (day, DayResult(day: day, outcome: outcome, fetchedAt: now, raw: raw))
            })
        try keep(kept, of: service)
        return results
    }

    /// Keeps days. A failure is told, but doesn't take the place of a picture that is kept: NASA's bad days pass, and a
    /// picture that gets lost in them may not come back.
    private func keep(_ days: [KeptDay], of service: Service) throws {
        guard let store else { return }
        let failed = days.filter { $0.picture == nil }.map(\.day)
        guard let first = failed.min(), let last = failed.max() else { return try store.keep(days, of: service) }
        let pictures = Set(
            try store.days(from: first, through: last, of: service).filter { $0.picture != nil }.map(\.day))
        try store.keep(days.filter { $0.picture != nil || !pictures.contains($0.day) }, of: service)
    }

    // MARK: A request

    /// A failure on its way through a `Result`.
    private struct Fault: Error {
        let reason: any Failure

        /// Whether a page may have failed because of a single day in it: the service answered, but with a fault of its
        /// own or with something that can't be read. The old one answers 500 for a range with one bad day.
        var mayBeOneDays: Bool {
            switch reason {
            case APODFailure.failing, APODFailure.badAnswer, APODFailure.refused, FetchFailure.tooLarge: true
            default: false
            }
        }

        /// Whether it says nothing yet of the service: its days may be well but for one.
        var isOfThePage: Bool {
            if case APODFailure.failing(_, let status, _, _) = reason { return status == 500 }
            return mayBeOneDays
        }

        /// Whether the service answered as it should, with what it knows of the day.
        var isAboutDay: Bool {
            switch reason {
            case APODFailure.noPicture, APODFailure.notPublished, APODFailure.standIn: true
            default: false
            }
        }
    }

    /// One request, unless the service is down. Throws `Cancelled` alone.
    private func attempt<T>(
        _ service: Service, _ what: String, isPage: Bool, _ ask: (ServiceClient) throws -> T
    ) throws -> Result<T, Fault> {
        if let failure = outages.reason(service) { return .failure(Fault(reason: failure)) }
        do {
            log.detail("asking \(service.name) for \(what)")
            let answer = try ask(client(of: service))
            outages.end(service)
            return .success(answer)
        } catch {
            let fault = Fault(reason: Support.failure(of: error))
            if fault.reason is Cancelled { throw fault.reason }
            if fault.isAboutDay {
                outages.end(service)
            } else if !(isPage && fault.isOfThePage), let count = outages.add(fault.reason, of: service) {
                log.warning("\(service.name) has failed \(count) times in a row; it is not asked again in this run")
            }
            return .failure(fault)
        }
    }
}
