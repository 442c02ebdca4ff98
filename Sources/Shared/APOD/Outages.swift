import HTTP
import Support

/// Which services have turned out to be down in this run. Shared by all its threads.
final class Outages: Sendable {
    /// Failures in a row after which a service counts as down for the rest of the run: fewer where each stands for all
    /// retries of a request, several seconds at least, more where the service answers at once, but with nothing of use,
    /// since that may be the fault of single days.
    static func patience(with failure: any Failure) -> Int {
        switch failure {
        case APODFailure.badAnswer, APODFailure.refused, APODFailure.wrongDay, FetchFailure.tooLarge: 10
        default: 3
        }
    }

    private struct Outage {
        var count = 0
        var failure: any Failure

        var isDown: Bool { count >= Outages.patience(with: failure) }
    }

    private let services = Monitor<[Service: Outage]>([:])

    /// Why a service is not asked any more; nil while it is.
    func reason(_ service: Service) -> (any Failure)? {
        services.withLock { services in services[service].flatMap { $0.isDown ? $0.failure : nil } }
    }

    /// Notes that a service has answered something that it can be held to.
    func end(_ service: Service) { services.withLock { $0[service] = nil } }

    /// Notes a failure that the next day may meet too. Gives how many there were in a row where the patience ends with
    /// this one.
    func add(_ failure: any Failure, of service: Service) -> Int? {
        services.withLock { services in
            let before = services[service]
            let outage = Outage(count: (before?.count ?? 0) + 1, failure: failure)
            services[service] = outage
            return outage.isDown && before?.isDown != true ? outage.count : nil
        }
    }
}
