import Support

extension APODClient {
    /// Returns the newest picture from `day` backwards; its own date says which day it is. In most hours one request.
    ///
    /// Fails with `nothingRecent` if none of them has a picture. If nobody can be reached, it is the newest that is
    /// kept. Throws `Cancelled`, or a failure that ends the run.
    func newest(from day: CalendarDay) throws -> DayResult {
        let answers = try answers(for: [day]) { _, service in [day: try newest(from: day, of: service)] }
        let result = answers[day] ?? failed(day, APODFailure.noPicture(day))
        guard let failure = result.failure, ServiceChoice.isOutOfReach(failure), let kept = try newestKept(through: day)
        else { return result.answering(day) }
        return settle(for: kept, after: failure).answering(day)
    }

    /// Returns the newest picture of one service, day by day backwards.
    private func newest(from day: CalendarDay, of service: ServiceClient) throws -> DayResult {
        let last = max(PublishedDays.first, day.advanced(by: -DayPlan.stepsBack))
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
    private func newestKept(through day: CalendarDay) throws -> DayResult? {
        var newest = try services.compactMap { try store.newestPicture(through: day, of: $0.service)?.result }
            .max { $0.day < $1.day }
        if !options.raw { newest?.raw = nil }
        return newest
    }
}
