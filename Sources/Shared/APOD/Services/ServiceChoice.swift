import HTTP
import Support

/// Which service to ask.
public enum ServiceChoice: String, Sendable, CaseIterable {
    /// NASA's, and the classic server for days that NASA's cannot answer, if there is one.
    case auto
    case science
    case api

    /// Returns the services in the order in which they are asked.
    ///
    /// - Parameter hasClassic: whether a classic server is named, as `api` needs it.
    func order(hasClassic: Bool) -> [Service] {
        switch self {
        case .auto: hasClassic ? [.science, .api] : [.science]
        case .science: [.science]
        case .api: [.api]
        }
    }

    /// Returns whether the next service may know better than the one that failed so.
    ///
    /// It may not if nothing is wrong with the service: the run is being stopped, the machine lacks something, an
    /// address is blocked by the user's own settings, or the day isn't published: the new service has every picture
    /// first.
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

    /// Returns whether a failure means that nobody could be asked, so that an old record is better than none: the
    /// network or the service is down or has moved, or a portal of some network answers in the service's place.
    static func isOutOfReach(_ failure: any Failure) -> Bool {
        switch failure {
        case APODFailure.forbidden, APODFailure.refused: true
        case APODFailure.notPublished: false
        case APODFailure.badAnswer(let fault, _): fault.isOfWholeAnswer
        default: failure.isTransient
        }
    }
}
