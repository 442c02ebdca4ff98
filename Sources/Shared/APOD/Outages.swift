import Support

/// Which services have turned out to be down in this run. Shared by all its threads.
final class Outages: Sendable {
    /// Failures in a row after which a service counts as down for the rest of the run. Each stands for all retries of a
    /// request, several seconds at least.
    static let patience = 3

    private struct Outage {
        var count = 0
        var failure: any Failure
    }

    private let services = Monitor<[Service: Outage]>([:])

    /// Why a service is not asked any more; nil while it is.
    func reason(_ service: Service) -> (any Failure)? {
        services.withLock { services in services[service].flatMap { $0.count >= Self.patience ? $0.failure : nil } }
    }

    /// Notes that a service has answered something that it can be held to.
    func end(_ service: Service) { services.withLock { $0[service] = nil } }

    /// Notes a failure that the next day would meet too. Gives whether it is the one with which the patience ends.
    func add(_ failure: any Failure, of service: Service) -> Bool {
        services.withLock { services in
            let count = (services[service]?.count ?? 0) + 1
            services[service] = Outage(count: count, failure: failure)
            return count == Self.patience
        }
    }
}
