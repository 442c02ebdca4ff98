import HTTP
import Support

/// Detects that a service is down. Safe to use on several threads.
final class Outage: Sendable {
    /// The number of failures in a row after which a service is considered down for the rest of the run. The limit is
    /// low for requests that fail after all retries, because each takes several seconds. It is higher for unusable
    /// answers, which arrive immediately and may affect only single days.
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

    /// The last failure of the service if it is down, otherwise nil.
    var reason: (any Failure)? { failures.withLock { $0.isPastLimit ? $0.last : nil } }

    func end() { failures.withLock { $0 = Failures() } }

    /// Records a failure that may affect other days as well. Returns the number of failures in a row if this failure
    /// reaches the limit, otherwise nil.
    func add(_ failure: any Failure) -> Int? {
        failures.withLock { failures in
            let wasDown = failures.isPastLimit
            failures = Failures(count: failures.count + 1, last: failure)
            return failures.isPastLimit && !wasDown ? failures.count : nil
        }
    }
}
