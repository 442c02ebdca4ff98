import Store
import Fetch
import Tools
import HTTP
import Support

/// Which of NASA's services to ask.
public enum ServiceChoice: String, Sendable, CaseIterable {
    /// The new one, and the old one only for what the new one cannot answer.
    case auto
    case science
    case api

    /// The services in the order in which they are asked.
    var order: [Service] {
        switch self {
        case .auto: [.science, .api]
        case .science: [.science]
        case .api: [.api]
        }
    }

    /// Whether the next service may know better than the one that failed so.
    ///
    /// Not where nothing is wrong with the service: the run is being stopped, the machine lacks something, an address
    /// is blocked by the user's own settings, or the day isn't published: the new service has every picture first.
    static func asksNext(after failure: any Failure) -> Bool {
        switch failure {
        case is Cancelled, is UsageFailure, is ConfigurationFailure, is SystemFailure: false
        case APODFailure.notPublished: false
        case FetchFailure.blockedAddress, FetchFailure.badHeader, FetchFailure.badCertificateFile,
            FetchFailure.noLibcurl:
            false
        default: true
        }
    }

    /// Whether a failure means that nobody could be asked, so that an old record is better than none: the network or
    /// the service is down or has moved, a key is bad, a portal of some network answers in the service's place.
    static func isOutOfReach(_ failure: any Failure) -> Bool {
        switch failure {
        case APODFailure.key, APODFailure.forbidden, APODFailure.refused: true
        case APODFailure.badAnswer(let fault, _): fault.isOfWholeAnswer
        default: failure.isTransient
        }
    }

    /// The failure of a service that was asked second, which is not the one reported. A bad key is worth a warning: it
    /// is the user's to mend.
    static func note(_ failure: any Failure, _ log: Log) {
        if case APODFailure.key = failure { log.warning(failure.message) } else { log.detail(failure.message) }
    }

    /// Asks the services in their order, each about what those before it could not answer.
    ///
    /// Where none can, it is the first one's failure that is reported: since October 2026 the old service has nothing
    /// but NASA's logo to add, and a run that may work later should not look like one that never will.
    ///
    /// - Parameter ask: what one service says of each of these; those that it doesn't mention are dropped.
    func answers(
        for days: [CalendarDay], log: Log, ask: ([CalendarDay], Service) throws -> [CalendarDay: DayResult]
    ) rethrows -> [CalendarDay: DayResult] {
        var results: [CalendarDay: DayResult] = [:]
        var left = days
        for service in order where !left.isEmpty {
            let answers = try ask(left, service)
            var next: [CalendarDay] = []
            for day in left {
                guard let answer = answers[day] else { continue }
                if let failure = answer.failure {
                    if service != order.last, Self.asksNext(after: failure) { next.append(day) }
                    if results[day] != nil {
                        Self.note(failure, log)
                        continue
                    }
                }
                results[day] = answer
            }
            if let first = next.first, let failure = answers[first]?.failure {
                let number = days.count == 1 ? "" : " for \(next.count) of \(days.count) days"
                log.detail("\(failure.message); asking the old service\(number)")
            }
            left = next
        }
        return results
    }
}
