import Fetch
import HTTP
import Support

/// Gets pictures of the day, from either of NASA's services or both, or from what is kept of their answers.
///
/// May be used on several threads at once: they share what is kept, and what is known of services that are down.
public struct APODClient: Sendable {
    private(set) var options: PictureOptions
    /// Those that are asked, in their order.
    private(set) var services: [ServiceClient]
    let store: CachedDays
    /// How many requests are made at once.
    let jobs: Int
    let clock: Clock
    let log: Log
    let interruption: Interruption
    /// How many results there were, and how many of them are left out for what they lack.
    private let tally = Monitor((all: 0, leftOut: [PictureOptions.Lack: Int]()))
    /// Whether a warning has told that a record may be out of date.
    private let hasWarnedOfStale = Monitor(false)
    /// What the run has learnt of the end of the archive.
    let end = ArchiveEnd()

    /// - Parameters:
    ///   - science: the address of NASA's service, `Service.scienceAddress`, or of one like it.
    ///   - api: the address of a classic server; required for the choice `api`.
    ///   - http: asks; its retries and limits apply to every request.
    ///   - caches: keep answers, each as the policy for its service's address says.
    ///   - jobs: how many requests of a sequence are made at once, at least 1.
    ///   - log: details say which service is asked for what and why.
    public init(
        choice: ServiceChoice, options: PictureOptions, science: WebURL, api: WebURL?, http: HTTPClient,
        caches: Caches, jobs: Int, interruption: Interruption, clock: Clock = .system, log: Log
    ) {
        self.options = options
        var addresses = [Service.science: science]
        addresses[.api] = api
        services = choice.order(hasClassic: api != nil).compactMap { service in
            addresses[service].map {
                ServiceClient(service: service, base: $0, http: http, clock: clock, log: log)
            }
        }
        store = CachedDays(caches: caches, addresses: addresses, log: log)
        self.jobs = jobs
        self.interruption = interruption
        self.clock = clock
        self.log = log
    }

    /// Returns the pictures of a plan, in its order. Nothing is asked before the first `next()`.
    public func pictures(_ plan: DayPlan) -> PictureSequence { PictureSequence(plan, client: self) }

    /// Returns what becomes of a single day: for days that come one by one. Whether it is wanted is for the
    /// caller to ask (`isWanted`).
    ///
    /// Throws `Cancelled`, or a failure that ends the run, such as `ConfigurationFailure` for a cache of a newer
    /// layout.
    func result(of day: CalendarDay) throws -> DayResult { try withFallback(results(of: [day]))[0] }

    /// The same client, whose requests end as soon as `watch` throws.
    func watched(by watch: @escaping @Sendable () throws -> Void) -> APODClient {
        var client = self
        for index in services.indices { client.services[index].http = services[index].http.watched(by: watch) }
        return client
    }

    /// The same client, which gives no older image in the place of one that is missing.
    var withoutFallback: APODClient {
        var client = self
        client.options.fallsBack = false
        return client
    }

    /// Whether no service is asked at all.
    public var isOffline: Bool { options.isOffline }

    /// The service that the next days are asked of first: the pages of the services differ.
    var leadingService: Service { (services.first { $0.outage.reason == nil } ?? services[0]).service }

    // MARK: What is wanted

    /// Returns whether a result is wanted; to be asked once of each, since those that are left out are counted.
    func isWanted(_ result: DayResult) -> Bool {
        let lack = options.lack(of: result)
        tally.withLock { tally in
            tally.all += 1
            if let lack { tally.leftOut[lack, default: 0] += 1 }
        }
        return lack == nil
    }

    /// Says which days were left out, as they aren't published yet or for what they lack, if any were: to be called at
    /// the end of a run.
    public func tellLeftOut() {
        end.tellUnpublished(log)
        let (all, leftOut) = tally.withLock { $0 }
        let media = Picture.MediaType.allCases.filter(options.media.contains).map(\.rawValue).joined(separator: " or ")
        for lack in PictureOptions.Lack.allCases {
            guard let count = leftOut[lack] else { continue }
            let (have, name) = count == 1 ? ("has", "names") : ("have", "name")
            let what =
                switch lack {
                case .media: "\(have) no \(media)"
                case .freedom: "\(name) a copyright holder"
                case .words: "\(have) not all of these words"
                }
            log.notice("\(count) of \(all) days \(what) and \(count == 1 ? "was" : "were") left out")
        }
    }

    // MARK: Old records

    /// Puts what is kept in the place of a failure to reach anybody, and says so once a run.
    func settle(for kept: DayResult, after failure: any Failure) -> DayResult {
        if !hasWarnedOfStale.withLock({ hasWarned in
            defer { hasWarned = true }
            return hasWarned
        }) {
            let name = services.allSatisfy(\.server.isNASA) ? "NASA" : services[0].server.name
            let reason = options.isOffline ? "offline" : "\(name) cannot be reached (\(failure.message))"
            log.warning("\(reason): using the record of \(kept.day) from \(kept.fetchedAt.iso8601)")
        }
        var result = kept
        result.source = .stale
        return result
    }
}
