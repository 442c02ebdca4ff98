import Fetch
import HTTP
import Support

/// Fetches pictures of the day from NASA's service, a classic server, or the cache.
///
/// Safe to use on several threads, which share the cache and the state of failing services.
public struct APODClient: Sendable {
    private(set) var options: PictureOptions
    /// The services in the order in which they are queried.
    private(set) var services: [ServiceClient]
    let store: CachedDays
    let jobs: Int
    let clock: Clock
    let log: Log
    let interruption: Interruption
    private let tally = Monitor((all: 0, skipped: [PictureOptions.Exclusion: Int]()))
    private let hasWarnedOfStale = Monitor(false)
    let end = ArchiveEnd()

    /// - Parameters:
    ///   - science: the address of NASA's service or of a compatible one.
    ///   - api: the address of a classic server; required for the choice `api`.
    ///   - caches: the caches for the answers. The policy for a service's address decides where its answers are stored.
    ///   - jobs: the number of concurrent requests of a sequence, at least 1.
    public init(
        choice: ServiceChoice, options: PictureOptions, science: WebURL, api: WebURL?, http: HTTPClient,
        caches: Caches, jobs: Int, interruption: Interruption, clock: Clock = .system, log: Log
    ) {
        self.options = options
        var addresses = [Service.science: science]
        addresses[.api] = api
        services = choice.order(hasClassic: api != nil).compactMap { service in
            addresses[service].map { ServiceClient(service: service, base: $0, http: http, clock: clock, log: log) }
        }
        store = CachedDays(caches: caches, addresses: addresses, log: log)
        self.jobs = jobs
        self.interruption = interruption
        self.clock = clock
        self.log = log
    }

    /// Returns the pictures of a plan in order. No request is made before the first call of `next()`.
    public func pictures(_ plan: DayPlan) -> PictureSequence { PictureSequence(plan, client: self) }

    /// Returns the result of one day, even if it does not match the options (`isWanted`). Throws `Cancelled`, or a
    /// failure that ends the run.
    func result(of day: CalendarDay) throws -> DayResult { try withFallback(results(of: [day]))[0] }

    /// Returns a copy of this client whose requests are stopped as soon as `watch` throws.
    func watched(by watch: @escaping @Sendable () throws -> Void) -> APODClient {
        var client = self
        for index in services.indices { client.services[index].http = services[index].http.watched(by: watch) }
        return client
    }

    /// A copy of this client that does not replace a day without an image by an earlier image.
    var withoutFallback: APODClient {
        var client = self
        client.options.fallsBack = false
        return client
    }

    /// The first service that is not down. It determines the number of days per request.
    var leadingService: Service { (services.first { $0.outage.reason == nil } ?? services[0]).service }

    // MARK: Selection

    /// Returns whether a result matches the options. Call it once per result, since it counts skipped results.
    func isWanted(_ result: DayResult) -> Bool {
        let exclusion = options.exclusion(of: result)
        tally.withLock { tally in
            tally.all += 1
            if let exclusion { tally.skipped[exclusion, default: 0] += 1 }
        }
        return exclusion == nil
    }

    /// Logs how many days were unpublished or excluded by an option. Call it at the end of a run.
    public func logSkippedDays() {
        end.logUnpublished(log)
        let (all, skipped) = tally.withLock { $0 }
        let media = Picture.MediaType.allCases.filter(options.media.contains)
            .map { $0 == .other ? "other medium" : $0.rawValue }.joined(separator: " or ")
        for exclusion in PictureOptions.Exclusion.allCases {
            guard let count = skipped[exclusion] else { continue }
            let (have, name) = count == 1 ? ("has", "names") : ("have", "name")
            let what =
                switch exclusion {
                case .media: "\(have) no \(media)"
                case .copyright: "\(name) a copyright holder"
                case .words: "\(count == 1 ? "does" : "do") not contain all words"
                }
            log.notice("\(count) of \(all) days \(what) and \(count == 1 ? "was" : "were") skipped")
        }
    }

    /// Marks a cached result as stale, because no service could be reached. Warns once per run.
    func stale(_ cached: DayResult, after failure: any Failure) -> DayResult {
        if !hasWarnedOfStale.testAndSet() {
            let name = services.allSatisfy(\.server.isNASA) ? "NASA" : services[0].server.name
            let reason = options.isOffline ? "offline" : "\(name) cannot be reached (\(failure.message))"
            log.warning("\(reason): using the cached record of \(cached.day) from \(cached.fetchedAt.iso8601)")
        }
        var result = cached
        result.source = .stale
        return result
    }
}
