import HTTP
import Support

/// Detects that a service is down. Safe to use on several threads.
final class Outage: Sendable {
    /// The number of failures in a row after which a service counts as down for the rest of the run. A request that
    /// fails after all retries takes several seconds, so the limit is low. Immediate but unusable answers may affect
    /// only single days.
    private static func limit(for failure: any Failure) -> Int {
        switch failure {
        case APODFailure.badAnswer, APODFailure.refused, APODFailure.wrongDay, FetchFailure.tooLarge: 10
        default: 3
        }
    }

    private struct Failures {
        var count = 0
        var last: (any Failure)?

        var isPastLimit: Bool { last.map { count >= Outage.limit(for: $0) } ?? false }
    }

    private let failures = Monitor(Failures())

    /// The reason why the service is no longer asked; nil if it is still asked.
    var reason: (any Failure)? { failures.withLock { $0.isPastLimit ? $0.last : nil } }

    func end() { failures.withLock { $0 = Failures() } }

    /// Records a failure that may affect the next day too. Returns the number of failures in a row if the service
    /// counts as down from now on.
    func add(_ failure: any Failure) -> Int? {
        failures.withLock { failures in
            let wasDown = failures.isPastLimit
            failures = Failures(count: failures.count + 1, last: failure)
            return failures.isPastLimit && !wasDown ? failures.count : nil
        }
    }
}
