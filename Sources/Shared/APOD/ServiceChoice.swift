import HTTP
import Support

/// Which of NASA's services to ask.
public enum ServiceChoice: String, Sendable, CaseIterable {
    /// The new one, and the old one only for what the new one cannot answer.
    case auto
    case science
    case api

    /// Reads a name. Throws `UsageFailure` with a near match where there is one.
    public init(typed name: String) throws {
        guard let choice = ServiceChoice(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue)
            throw UsageFailure(
                "there is no service \"\(name)\", but \(Self.expected)\(NearMatch.advice(for: name, among: names))")
        }
        self = choice
    }

    /// What there is to choose from, in words.
    public static let expected = "auto, science or api"

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
    /// Not where nothing is wrong with the service: the run is being stopped, the machine lacks something, an address is
    /// blocked by the user's own settings, or the day isn't published: the new service has every picture first.
    static func asksNext(after failure: any Failure) -> Bool {
        switch failure {
        case is Cancelled, is UsageFailure, is ConfigurationFailure, is SystemFailure: false
        case APODFailure.notPublished: false
        case FetchFailure.blockedAddress, FetchFailure.badHeader, FetchFailure.badCertificateFile, FetchFailure.noLibcurl:
            false
        default: true
        }
    }

    /// Asks the services in their order until one answers.
    ///
    /// Where none does, it is the first one's failure that is thrown: since October 2026 the old service has nothing but
    /// NASA's logo to add, and a run that may work later should not look like one that never will.
    func firstAnswer<T>(log: Log, _ ask: (Service) throws -> T) throws -> T {
        var reported: (any Failure)?
        for service in order {
            do {
                return try ask(service)
            } catch {
                let failure = Support.failure(of: error)
                if failure is Cancelled { throw failure }
                if reported != nil { Self.note(failure, log) }
                let first = reported ?? failure
                guard service != order.last, Self.asksNext(after: failure) else { throw first }
                log.detail("\(failure.message); asking the old service")
                reported = first
            }
        }
        throw reported ?? UsageFailure("no service to ask")
    }

    /// The failure of a service that was asked second, which is not the one reported. A bad key is worth a warning: it is
    /// the user's to mend.
    static func note(_ failure: any Failure, _ log: Log) {
        if case APODFailure.key = failure { log.warning(failure.message) } else { log.detail(failure.message) }
    }
}
