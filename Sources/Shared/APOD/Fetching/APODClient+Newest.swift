import Store
import Support

extension APODClient {
    /// The newest day that may be published.
    var newestDay: CalendarDay { PublishedDays.newest(at: clock.now()) }

    /// How many days the newest picture is looked for day by day, if there is no list to name it: a day's silence has
    /// happened, three in a row only in the first week.
    private static let stepsBack = 3

    /// Returns the newest days that are published, the oldest first: at most `count`, and at least one, which is a
    /// failure if nobody could be asked. In most cases one request.
    ///
    /// The new service's list begins with the newest, however long NASA pauses. The old service has no such list and is
    /// asked for `day` and those before it; then there is one result. If nobody can be reached, it is the newest
    /// picture that is kept. Throws `Cancelled`, or a failure that ends the run.
    ///
    /// - Parameters:
    ///   - count: from 1 to a page.
    ///   - day: the newest day that may be published.
    func newest(_ count: Int, from day: CalendarDay) throws -> [DayResult] {
        var listed: [DayResult] = []
        let answers = try answers(for: [day]) { _, service in
            if service.service == .science {
                do {
                    listed = try published(count, from: day, of: service)
                } catch {
                    let failure = failure(of: error)
                    if failure is Cancelled { throw failure }
                    guard ServiceClient.mayBeOneDays(failure), service.outage.reason == nil else {
                        return [day: failed(day, failure)]
                    }
                    log.detail("\(failure.message); asking day by day from \(day) backwards")
                }
                if let newest = listed.last { return [day: newest] }
            }
            return [day: try newest(from: listed.last?.day ?? day, of: service)]
        }
        var result = answers[day] ?? failed(day, APODFailure.noPicture(day))
        if let failure = result.failure, ServiceChoice.isOutOfReach(failure), let kept = try newestKept(through: day) {
            result = settle(for: kept, after: failure)
        }
        guard let picture = result.picture else { return listed.dropLast() + [result] }
        if result.source != .stale { end.tellAge(of: picture.day, today: day, log) }
        return listed.filter { $0.day < picture.day } + [result.answering(picture.day)]
    }

    // MARK: The new service's list

    /// Returns the days that the new service has published last, the oldest first: none if its list is empty. Throws
    /// what the request threw, `Cancelled`, or a failure that ends the run.
    ///
    /// What is kept is not asked for again: days that were listed, and those that weren't and are still remembered.
    private func published(
        _ count: Int, from day: CalendarDay, of service: ServiceClient
    ) throws -> [DayResult] {
        let earliest = max(PublishedDays.first, day.advanced(by: -Self.longestPause - count))
        func look() throws -> (known: [CalendarDay: DayResult], recent: RecentDays) {
            if count == 1, let kept = try freshResult(of: day, service.service), kept.picture != nil {
                return ([:], RecentDays([day: kept], from: day, through: day, count: 1))
            }
            let known = try keptDays([earliest, day], of: service.service).fresh
            return (known, RecentDays(known, from: day, through: earliest, count: count))
        }
        var (known, kept) = try look()
        if kept.isComplete { return kept.days }
        if options.isOffline {
            if count > 1 { return try published(1, from: day, of: service) }
            throw CacheFailure.offline(key: "the picture of \(day)")
        }
        let turn = options.refreshes ? nil : try store.turn(toAsk: service.service, for: "newest")
        defer { withExtendedLifetime(turn) {} }
        if turn != nil {
            // Others may have asked since.
            (known, kept) = try look()
            if kept.isComplete { return kept.days }
        }
        // A page has no room for more, and as a rule only the newest day is new.
        for listing in Set([kept.listing, count]).sorted() {
            let list = try service.newestAnswers(listing)
            guard let first = list.last?.day, let last = list.first?.day else { return [] }
            for missing in PublishedDays.days(from: first, through: max(day, last)) {
                known[missing] = failed(
                    missing, missing > last ? APODFailure.notPublished(missing) : .noPicture(missing))
            }
            for var listed in list {
                if !options.raw { listed.raw = nil }
                known[listed.day] = listed
            }
            let learnt = known.filter { $0.key >= max(earliest, first) && $0.value.source == .network }
            known.merge(try keep(learnt, of: service.service)) { $1 }
            let recent = RecentDays(known, from: max(day, last), through: min(earliest, first), count: count)
            if recent.isComplete || listing == count { return recent.days }
        }
        return []
    }

    // MARK: Days that aren't out

    /// A day that lies further back and is missing is not taken for one that is still to come.
    private static let longestPause = 100

    /// Returns the failures of those days behind the newest picture that a page of the new service leaves out. One
    /// request a run, and only if a page ends before its last day.
    func unpublished(
        of days: ArraySlice<CalendarDay>, leftOutOf page: [CalendarDay: DayResult], _ service: ServiceClient
    ) throws -> [CalendarDay: DayResult] {
        guard let last = days.max(), page[last] == nil, let newest = try newestPublished(before: last, service) else {
            return [:]
        }
        let unpublished = days.filter { $0 > newest && page[$0] == nil }
        return Dictionary(uniqueKeysWithValues: unpublished.map { ($0, failed($0, APODFailure.notPublished($0))) })
    }

    /// Returns whether a failure that says that there is no picture means that NASA pauses.
    func isUnpublished(_ day: CalendarDay, _ failure: any Failure, _ service: ServiceClient) throws -> Bool {
        guard case APODFailure.noPicture = failure else { return false }
        return try newestPublished(before: day, service).map { $0 < day } ?? false
    }

    /// Returns the day of the newest picture, asked for once a run; nil if a day lies too far back to be newer, or if
    /// the service doesn't say.
    private func newestPublished(before day: CalendarDay, _ service: ServiceClient) throws -> CalendarDay? {
        let today = newestDay
        guard service.service == .science, !options.isOffline, day > today.advanced(by: -Self.longestPause) else {
            return nil
        }
        return try end.newest {
            do {
                return try published(1, from: today, of: service).last?.day
            } catch {
                let failure = failure(of: error)
                if failure is Cancelled || failure.exitCode == .configuration { throw failure }
                log.detail(failure.message)
                return nil
            }
        }
    }

    // MARK: Day by day

    /// Returns the newest picture of one service, day by day backwards. Fails with `nothingRecent` if none of the days
    /// has one.
    private func newest(from day: CalendarDay, of service: ServiceClient) throws -> DayResult {
        let last = max(PublishedDays.first, day.advanced(by: -Self.stepsBack))
        var candidate = day
        while true {
            let result = try freshResult(of: candidate, service.service) ?? ask(for: candidate, service)
            guard let failure = result.failure as? APODFailure, failure.isAbsence else { return result }
            guard candidate > last else {
                return failed(day, APODFailure.nothingRecent(from: last, through: day))
            }
            log.detail("\(failure.message); asking for the day before")
            candidate = candidate.advanced(by: -1)
        }
    }

    /// Returns the latest picture that is kept of any service.
    func newestKept(through day: CalendarDay) throws -> DayResult? {
        var newest = try services.compactMap { try store.newestPicture(through: day, of: $0.service)?.result }
            .max { $0.day < $1.day }
        if !options.raw { newest?.raw = nil }
        return newest
    }
}

/// What is known of the newest days, without a request.
private struct RecentDays {
    /// Those that are published, the oldest first.
    let days: [DayResult]
    /// Whether these are as many as are wanted, and nothing newer may have come between them.
    let isComplete: Bool
    /// How many entries of the service's list lead to the oldest day that isn't known.
    let listing: Int

    init(_ known: [CalendarDay: DayResult], from newest: CalendarDay, through earliest: CalendarDay, count: Int) {
        var days: [DayResult] = []
        var unknown = 0
        var listing = 0
        var day = newest
        while days.count + unknown < count, day >= earliest {
            if let result = known[day] {
                if (result.failure as? APODFailure)?.isAbsence != true { days.append(result) }
            } else if !PublishedDays.gaps.contains(day) {
                unknown += 1
                listing = days.count + unknown
            }
            day = day.advanced(by: -1)
        }
        self.days = days.reversed()
        isComplete = days.count == count
        self.listing = listing == 0 ? count : listing
    }
}
