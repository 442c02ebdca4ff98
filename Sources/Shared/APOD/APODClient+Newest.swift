import Support

extension APODClient {
    /// The newest picture from `day` backwards; its own date says which day it is. In most hours one request.
    ///
    /// Fails with `nothingRecent` where none of them has a picture. Where nobody can be reached, it is the newest that is
    /// kept.
    func newest(from day: CalendarDay) throws -> DayResult {
        let answers = try choice.answers(for: [day], log: log) { _, service in
            [day: try newest(from: day, of: service)]
        }
        let result =
            answers[day]
            ?? DayResult(day: day, outcome: .failed(APODFailure.noPicture(day)), fetchedAt: clock.now())
        guard let failure = result.failure, ServiceChoice.isOutOfReach(failure), let kept = try newestKept(through: day)
        else { return result.answering(day) }
        return settle(for: kept, after: failure).answering(day)
    }

    /// The newest picture of one service, day by day backwards.
    private func newest(from day: CalendarDay, of service: Service) throws -> DayResult {
        let last = max(PublishedDays.first, day.advanced(by: -DayPlan.stepsBack))
        var candidate = day
        while true {
            let result = try freshResult(of: candidate, service) ?? ask(for: candidate, service)
            guard let failure = result.failure as? APODFailure, failure.isAbsence else { return result }
            guard candidate > last else {
                return failed(day, APODFailure.nothingRecent(from: last, through: day))
            }
            log.detail("\(failure.message); asking for the day before")
            candidate = candidate.advanced(by: -1)
        }
    }

    /// The latest picture that is kept, of whichever service.
    private func newestKept(through day: CalendarDay) throws -> KeptDay? {
        try choice.order.compactMap { try store?.newestPicture(through: day, of: $0) }.max { $0.day < $1.day }
    }
}

extension APODFailure {
    /// Whether the service says that there is nothing for the day, yet or at all.
    var isAbsence: Bool {
        switch self {
        case .noPicture, .notPublished: true
        default: false
        }
    }
}
