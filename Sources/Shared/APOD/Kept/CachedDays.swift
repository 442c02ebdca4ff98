import Fetch
import HTTP
import Store
import Support

/// Caches the answers of each service. The policy for the service's address decides whether they are stored on disk, in
/// memory or not at all. Opens the cache on first use. Safe to use on several threads.
///
/// If the cache cannot be opened, read or written, warns and continues without it. Every method throws `Cancelled` if
/// the run is stopped, and, for a cache of a newer layout, a failure that ends the run.
final class CachedDays: Sendable {
    private let caches: Caches
    private let addresses: [Service: WebURL]
    private let log: Log
    private let state = Monitor(State())
    private let hasWarned = Monitor(false)

    private struct State {
        /// The opened caches. A value is nil if the policy disables the cache of a service.
        var caches: [Service: CacheStore?] = [:]
        /// The services and days that were already looked up in the remote.
        var asked: Set<String> = []
        /// Total time of remote lookups that found nothing.
        var missed: Duration = .zero
        var isUnreadable = false
        var isUnwritable = false
    }

    init(caches: Caches, addresses: [Service: WebURL], log: Log) {
        self.caches = caches
        self.addresses = addresses
        self.log = log
    }

    /// Returns the cached days from `first` to `last`, ascending, including expired days.
    func days(from first: CalendarDay, through last: CalendarDay, of service: Service) throws -> [CachedDay] {
        let (server, address) = (Server(service, at: addresses[service]), foreignAddress(of: service))
        return try reading(service) { cache in
            try cache.metadata.items(in: Self.collection(service), from: first.description, through: last.description)
                .compactMap { CachedDay($0, of: server, address: address) }
        } ?? []
    }

    /// Looks up days in the remote, caches the days that it has, and returns them.
    ///
    /// - Parameter days: past days, whose answers no longer change. Each day is looked up once per run.
    func sharedDays(_ days: [CalendarDay], of service: Service) throws -> [CachedDay] {
        let (server, address) = (Server(service, at: addresses[service]), foreignAddress(of: service))
        let found: [(row: Metadata, day: CachedDay)] =
            try reading(service) { cache in
                try days.compactMap { day in
                    let isWanted = state.withLock {
                        $0.missed < Self.patience && $0.asked.insert("\(service.rawValue) \(day)").inserted
                    }
                    guard isWanted, let row = try remoteRow(day, service, cache),
                        let kept = CachedDay(row, of: server, address: address), kept.isCurrent
                    else { return nil }
                    return (row, kept)
                }
            } ?? []
        if found.isEmpty || state.withLock({ $0.isUnwritable }) { return found.map(\.day) }
        do {
            try cache(for: service)?.metadata.keep(found.map(\.row), in: Self.collection(service))
        } catch {
            try tell(error, "days from the remote are not cached") { $0.isUnwritable = true }
        }
        return found.map(\.day)
    }

    /// The limit on `State.missed`. Beyond this time, requests to NASA are faster, because one request returns 25 days.
    private static let patience: Duration = .seconds(2)

    private func remoteRow(_ day: CalendarDay, _ service: Service, _ cache: CacheStore) throws -> Metadata? {
        let begun = SteadyTime.now()
        let row = try cache.metadata.remoteItem(
            day.description, in: Self.collection(service), atMost: RemoteDocument.smallByteLimit, mayNeverExpire: true)
        if row == nil { state.withLock { $0.missed += SteadyTime.now() - begun } }
        return row
    }

    /// Returns the latest cached picture up to `last`, even if it has expired.
    func newestPicture(through last: CalendarDay, of service: Service) throws -> CachedDay? {
        let (server, address) = (Server(service, at: addresses[service]), foreignAddress(of: service))
        return try reading(service) { cache in
            var last = last
            while let row = try cache.metadata.newest(in: Self.collection(service), through: last.description) {
                if let kept = CachedDay(row, of: server, address: address), kept.result.picture != nil { return kept }
                // Skip failures, and rows that a later version of the tool wrote.
                guard let day = CalendarDay(row.name), day > PublishedDays.first else { break }
                last = day.advanced(by: -1)
            }
            return nil
        } ?? nil
    }

    /// Stores the days in one transaction.
    func keep(_ days: [CachedDay], of service: Service) throws {
        guard !days.isEmpty, !state.withLock({ $0.isUnwritable || $0.isUnreadable }) else { return }
        let address = foreignAddress(of: service)
        do {
            guard let cache = try cache(for: service) else { return }
            let rows = days.map { $0.metadata(address: address) }
            try cache.metadata.keep(rows, in: Self.collection(service))
            // Rows without an expiry no longer change, so the remote can share them.
            for row in rows where row.expiresAt == nil { cache.metadata.offer(row, in: Self.collection(service)) }
        } catch {
            try tell(error, "NASA's answers are not cached") { $0.isUnwritable = true }
        }
    }

    /// Locks a request, so that other threads and processes wait and then find its answer in the cache. The lock is
    /// released with its last reference, or when the process ends. Returns nil if the cache is disabled or read-only.
    ///
    /// - Parameter what: the name of the request, in letters, digits and hyphens, such as "2024-02-01-2024-02-25".
    func turn(toAsk service: Service, for what: String) throws -> KeyLock? {
        guard !state.withLock({ $0.isUnwritable }) else { return nil }
        return try reading(service) { cache in
            var hasLogged = false
            do {
                return try cache.lock("apod-\(service.rawValue)-\(what)") {
                    if !hasLogged { log.detail("waiting for another run with the same request (\(what))") }
                    hasLogged = true
                }
            } catch {
                if error is Cancelled { throw error }
                log.detail("not waiting for other runs with the same request (\(what)): \(failure(of: error).message)")
                // Without the lock, make the request anyway.
                return nil
            }
        } ?? nil
    }

    private static func collection(_ service: Service) -> String { "apod/\(service.rawValue)" }

    /// The address of the service if it differs from the standard address of NASA's new service, otherwise nil. It is
    /// stored with each cached day.
    private func foreignAddress(of service: Service) -> String? {
        addresses[service].map(\.redacted).flatMap { service == .science && $0 == Service.scienceAddress ? nil : $0 }
    }

    private func cache(for service: Service) throws -> CacheStore? {
        try state.withLock { state throws in
            if let known = state.caches[service] { return known }
            let policy = addresses[service].map { address in caches.policy(for: address.normalized) } ?? .disabled
            let cache = policy == .disabled ? nil : try caches.cache(inMemory: policy == .memory)
            state.caches[service] = .some(cache)
            return cache
        }
    }

    /// Returns the result of `body`, or nil if there is no readable cache.
    private func reading<Result>(_ service: Service, _ body: (CacheStore) throws -> Result) throws -> Result? {
        if state.withLock({ $0.isUnreadable }) { return nil }
        do {
            return try cache(for: service).map(body)
        } catch {
            try tell(error, "the cache is not used") { $0.isUnreadable = true }
            return nil
        }
    }

    /// Warns, once per run, that the cache failed. Rethrows failures that end the run.
    private func tell(_ error: any Error, _ consequence: String, _ change: (inout State) -> Void) throws {
        let failure = Support.failure(of: error)
        if failure is Cancelled || failure.exitCode == .configuration { throw failure }
        state.withLock { change(&$0) }
        if !hasWarned.testAndSet() { log.warning("\(failure.message); \(consequence)") }
    }
}
