import HTTP
import Support

/// The services to query.
public enum ServiceChoice: String, Sendable, CaseIterable {
    /// NASA's service. If a classic server is configured, it is queried for the days that fail.
    case auto
    case science
    case api

    /// Returns the services in the order in which they are queried. `api` requires a classic server.
    func order(hasClassic: Bool) -> [Service] {
        switch self {
        case .auto: hasClassic ? [.science, .api] : [.science]
        case .science: [.science]
        case .api: [.api]
        }
    }

    /// Returns whether the next service may succeed after this failure. It cannot succeed if the run is being stopped,
    /// if the machine lacks a library, if the user's settings block an address, or if the day is not published, because
    /// the new service publishes first.
    static func asksNext(after failure: any Failure) -> Bool {
        switch failure {
        case is Cancelled, is UsageFailure, is ConfigurationFailure, is SystemFailure, APODFailure.notPublished,
            FetchFailure.blockedAddress, FetchFailure.badHeader, FetchFailure.badCertificateFile,
            FetchFailure.noLibcurl:
            false
        default: true
        }
    }

    /// Returns whether the failure means that no service could be reached, so that an expired record is useful. This is
    /// the case if the network or the service is down, if the service has moved, or if a captive portal answered.
    static func isOutOfReach(_ failure: any Failure) -> Bool {
        switch failure {
        case APODFailure.forbidden, APODFailure.refused: true
        case APODFailure.notPublished: false
        case APODFailure.badAnswer(let fault, _): fault.isOfWholeAnswer
        default: failure.isTransient
        }
    }
}
