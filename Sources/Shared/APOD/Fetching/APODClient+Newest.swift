import Store
import Support

extension APODClient {
    /// The newest day that may be published.
    var newestDay: CalendarDay { PublishedDays.newest(at: clock.now()) }

    /// The number of earlier days to try if the newest day has no picture and the service has no list. Three days in a
    /// row without a picture occurred only in the first week.
    private static let stepsBack = 3

    /// Returns the results of the newest published days, oldest first: at least one and at most `count` results. Each
    /// result may be a failure. Usually makes one request.
    ///
    /// The list of the new service begins with the newest picture, however long NASA pauses. The old service has no
    /// such list, so this method requests `day` and then earlier days until a day has a picture, and returns only this
    /// day. If no service can be reached, returns the newest cached picture. Throws `Cancelled`, or a failure that ends
    /// the run.
    ///
    /// - Parameters:
    ///   - count: from 1 to `Service.pageLimit`.
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
                    log.detail("\(failure.message); requesting each day backwards from \(day)")
                }
                if let newest = listed.last { return [day: newest] }
            }
            return [day: try newest(from: listed.last?.day ?? day, of: service)]
        }
        var result = answers[day] ?? failed(day, APODFailure.noPicture(day))
        if let failure = result.failure, ServiceChoice.isOutOfReach(failure), let kept = try newestKept(through: day) {
            result = stale(kept, after: failure)
        }
        guard let picture = result.picture else { return listed.dropLast() + [result] }
        if result.source != .stale { end.logAge(of: picture.day, today: day, log) }
        return listed.filter { $0.day < picture.day } + [result.answering(picture.day)]
    }

    // MARK: List of the new service

    /// Returns the days that the new service published last, oldest first. The result is empty if the service's list is
    /// empty. Throws the failure of the request, `Cancelled`, or a failure that ends the run.
    ///
    /// Makes no request if the cache contains the results of all these days, including the days without a picture.
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
            // Another process may have fetched the list.
            (known, kept) = try look()
            if kept.isComplete { return kept.days }
        }
        // Usually only the newest day is missing from the cache, so request a short list first.
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

    // MARK: Unpublished days

    /// The maximum age in days of an unpublished day. An older day without a picture never had one.
    private static let longestPause = 100

    /// Returns the failure `notPublished` for each day that a page omits because it is later than the newest picture.
    /// Makes at most one request per run, and only if the page omits the last of `days`.
    func unpublished(
        of days: ArraySlice<CalendarDay>, leftOutOf page: [CalendarDay: DayResult], _ service: ServiceClient
    ) throws -> [CalendarDay: DayResult] {
        guard let last = days.max(), page[last] == nil, let newest = try newestPublished(before: last, service) else {
            return [:]
        }
        let unpublished = days.filter { $0 > newest && page[$0] == nil }
        return Dictionary(uniqueKeysWithValues: unpublished.map { ($0, failed($0, APODFailure.notPublished($0))) })
    }

    func isUnpublished(_ day: CalendarDay, _ failure: any Failure, _ service: ServiceClient) throws -> Bool {
        guard case APODFailure.noPicture = failure else { return false }
        return try newestPublished(before: day, service).map { $0 < day } ?? false
    }

    /// Returns the day of the newest picture, which is requested once per run. Returns nil if `day` is too old to be
    /// unpublished, or if the service does not answer.
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

    /// Requests `day` and earlier days until a day has a picture. Returns the failure `nothingRecent` if none of the
    /// days has a picture.
    private func newest(from day: CalendarDay, of service: ServiceClient) throws -> DayResult {
        let last = max(PublishedDays.first, day.advanced(by: -Self.stepsBack))
        var candidate = day
        while true {
            let result = try freshResult(of: candidate, service.service) ?? ask(for: candidate, service)
            guard let failure = result.failure as? APODFailure, failure.isAbsence else { return result }
            guard candidate > last else { return failed(day, APODFailure.nothingRecent(from: last, through: day)) }
            log.detail("\(failure.message); requesting the previous day")
            candidate = candidate.advanced(by: -1)
        }
    }

    /// Returns the latest cached picture of all services up to `day`.
    func newestKept(through day: CalendarDay) throws -> DayResult? {
        var newest = try services.compactMap { try store.newestPicture(through: day, of: $0.service)?.result }
            .max { $0.day < $1.day }
        if !options.raw { newest?.raw = nil }
        return newest
    }
}

/// The newest published days, as far as they are known without a request.
private struct RecentDays {
    /// The published days, oldest first.
    let days: [DayResult]
    /// Whether `days` contains `count` days, with no unknown day among them or after them.
    let isComplete: Bool
    /// The number of entries to request from the service's list. The list begins with the newest day, and must include
    /// the oldest unknown day.
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
