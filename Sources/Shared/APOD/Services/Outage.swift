import HTTP
import Support

/// Whether a service has turned out to be down in this run. Shared by all its threads.
final class Outage: Sendable {
    /// Failures in a row after which a service counts as down for the rest of the run: fewer if each stands for all
    /// retries of a request, several seconds at least, more if the service answers at once, but with nothing of use,
    /// since that may be the fault of single days.
    private static func patience(with failure: any Failure) -> Int {
        switch failure {
        case APODFailure.badAnswer, APODFailure.refused, APODFailure.wrongDay, FetchFailure.tooLarge: 10
        default: 3
        }
    }

    private struct Failures {
        var count = 0
        var last: (any Failure)?

        var arePastPatience: Bool { last.map { count >= Outage.patience(with: $0) } ?? false }
    }

    private let failures = Monitor(Failures())

    /// Why the service is not asked any more; nil while it is.
    var reason: (any Failure)? { failures.withLock { $0.arePastPatience ? $0.last : nil } }

    /// Notes that the service has answered something that it can be held to.
    func end() { failures.withLock { $0 = Failures() } }

    /// Notes a failure that the next day may meet too. Returns how many there were in a row if the patience ends with
    /// this one.
    func add(_ failure: any Failure) -> Int? {
        failures.withLock { failures in
            let wasDown = failures.arePastPatience
            failures = Failures(count: failures.count + 1, last: failure)
            return failures.arePastPatience && !wasDown ? failures.count : nil
        }
    }
}
