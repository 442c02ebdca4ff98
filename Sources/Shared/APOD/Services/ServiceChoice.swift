import HTTP
import Support

/// The services to ask.
public enum ServiceChoice: String, Sendable, CaseIterable {
    /// NASA's service, then the classic server, if configured, for the days that fail.
    case auto
    case science
    case api

    /// Returns the services in the order in which they are asked. `api` requires a classic server.
    func order(hasClassic: Bool) -> [Service] {
        switch self {
        case .auto: hasClassic ? [.science, .api] : [.science]
        case .science: [.science]
        case .api: [.api]
        }
    }

    /// Returns whether the next service may succeed after this failure. It cannot if the run is being stopped, if the
    /// machine lacks a library, if the user's settings block an address, or if the day is not published, since the new
    /// service publishes first.
    static func asksNext(after failure: any Failure) -> Bool {
        switch failure {
        case is Cancelled, is UsageFailure, is ConfigurationFailure, is SystemFailure, APODFailure.notPublished,
            FetchFailure.blockedAddress, FetchFailure.badHeader, FetchFailure.badCertificateFile,
            FetchFailure.noLibcurl:
            false
        default: true
        }
    }

    /// Returns whether the failure means that no service could be reached, so that an old record is useful: the network
    /// or the service is down or has moved, or a captive portal answered.
    static func isOutOfReach(_ failure: any Failure) -> Bool {
        switch failure {
        case APODFailure.forbidden, APODFailure.refused: true
        case APODFailure.notPublished: false
        case APODFailure.badAnswer(let fault, _): fault.isOfWholeAnswer
        default: failure.isTransient
        }
    }
}
