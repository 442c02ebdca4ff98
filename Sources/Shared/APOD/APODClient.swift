import HTTP
import Support

/// Gets pictures of the day, from either of NASA's services or both.
public struct APODClient: Sendable {
    /// The key that api.nasa.gov takes from everybody, for few requests: 10 an hour in October 2026.
    public static let demoKey = "DEMO_KEY"
    /// NASA's own addresses.
    public static let scienceAddress = "https://science.nasa.gov/wp-json/wp/v2/apod-basic"
    public static let apiAddress = "https://api.nasa.gov/planetary/apod"

    public let choice: ServiceChoice
    private let science: ServiceClient
    private let api: ServiceClient
    let clock: Clock
    let log: Log

    /// - Parameters:
    ///   - science: the new service's address, such as `scienceAddress`.
    ///   - api: the old one's.
    ///   - key: for the old one; it is sent to that address's origin alone.
    ///   - http: asks; its retries and limits apply to every request.
    ///   - log: details say which service is asked and why.
    public init(
        choice: ServiceChoice = .auto, science: WebURL, api: WebURL, key: String = APODClient.demoKey, http: HTTPClient,
        clock: Clock = .system, log: Log = .silent
    ) {
        self.choice = choice
        self.science = ServiceClient(service: .science, base: science, key: nil, http: http, clock: clock)
        self.api = ServiceClient(service: .api, base: api, key: key.isEmpty ? nil : key, http: http, clock: clock)
        self.clock = clock
        self.log = log
    }

    /// The pictures of a request, in its order. Nothing is asked before the first `next()`.
    ///
    /// Throws `UsageFailure` for days that can't be, and `APODFailure.noPicture` for a single day without a picture; both
    /// without a request.
    public func pictures(_ request: DayRequest) throws -> PictureSequence {
        pictures(try DayPlan(request, at: clock.now()))
    }

    /// The pictures of a plan, in its order.
    public func pictures(_ plan: DayPlan) -> PictureSequence { PictureSequence(plan, client: self) }

    /// What becomes of a single step. Throws `Cancelled` alone.
    public func result(of step: DayPlan.Step) throws -> DayResult {
        var sequence = pictures(DayPlan(steps: [step]))
        guard let result = try sequence.next() else { throw Cancelled() }
        return result
    }

    func client(of service: Service) -> ServiceClient {
        switch service {
        case .science: science
        case .api: api
        }
    }

    /// The newest picture from `day` backwards; its own date says which day it is. In most hours one request.
    ///
    /// Throws what the day before the last one met where none of them has a picture.
    func newest(from day: CalendarDay) throws -> Picture {
        try choice.firstAnswer(log: log) { service in
            var candidate = day
            while true {
                do {
                    return try client(of: service).picture(of: candidate)
                } catch let failure as APODFailure where failure.isAbsence {
                    let last = max(PublishedDays.first, day.advanced(by: -DayPlan.stepsBack))
                    guard candidate > last else { throw failure }
                    log.detail("\(failure.message); asking for the day before")
                    candidate = candidate.advanced(by: -1)
                }
            }
        }
    }
}

extension APODFailure {
    /// Whether the service says that there is nothing for the day, yet or at all.
    var isAbsence: Bool {
        switch self {
        case .noPicture, .notPublished: true
        default: false
        }
    }
}
