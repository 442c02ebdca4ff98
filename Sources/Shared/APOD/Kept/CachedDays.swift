import Fetch
import HTTP
import Store
import Support

/// Keeps the services' answers from run to run in the cache's index: in that of the disk, in memory or nowhere, as the
/// policy for the service's address says. Opened when first needed. May be used on several threads at once.
///
/// A cache that cannot be opened, read or written is a warning, and nothing is kept, since a day can be had without it;
/// one of a newer layout ends the run.
final class CachedDays: Sendable {
    private let caches: Caches
    private let addresses: [Service: WebURL]
    private let log: Log
    private let state = Monitor(State())

    private struct State {
        /// Nil if the policy keeps nothing.
        var caches: [Service: CacheStore?] = [:]
        /// What the remote was asked for already.
        var asked: Set<String> = []
        /// How long it took to say what it does not have.
        var missed: Duration = .zero
        var isUnreadable = false
        var isUnwritable = false
        var hasWarned = false
    }

    /// - Parameter addresses: those at which the services are asked.
    init(caches: Caches, addresses: [Service: WebURL], log: Log) {
        self.caches = caches
        self.addresses = addresses
        self.log = log
    }

    /// Returns what is kept of a service's days from `first` to `last`, ascending; expired ones among it. Throws a
    /// failure that ends the run, or `Cancelled`.
    func days(from first: CalendarDay, through last: CalendarDay, of service: Service) throws -> [KeptDay] {
        let (server, address) = (Server(service, at: addresses[service]), foreignAddress(of: service))
        return try reading(service) { cache in
            try cache.metadata(in: Self.collection(service), from: first.description, through: last.description)
                .compactMap { KeptDay($0, of: server, address: address) }
        } ?? []
    }

    /// Returns what other machines that share the remote have of these days, and keeps it here, too. Throws a failure
    /// that ends the run, or `Cancelled`.
    ///
    /// - Parameter days: past ones, which no longer change. Each is looked for once a run.
    func sharedDays(_ days: [CalendarDay], of service: Service) throws -> [KeptDay] {
        let (server, address) = (Server(service, at: addresses[service]), foreignAddress(of: service))
        let found: [(row: Metadata, day: KeptDay)] =
            try reading(service) { cache in
                try days.compactMap { day in
                    let isWanted = state.withLock {
                        $0.missed < Self.patience && $0.asked.insert("\(service.rawValue) \(day)").inserted
                    }
                    guard isWanted, let row = try remoteRow(day, service, cache),
                        let kept = KeptDay(row, of: server, address: address), kept.isCurrent
                    else { return nil }
                    return (row, kept)
                }
            } ?? []
        if found.isEmpty || state.withLock({ $0.isUnwritable }) { return found.map(\.day) }
        do {
            try cache(for: service)?.keep(found.map(\.row), in: Self.collection(service))
        } catch {
            try tell(error, "what the remote has is not kept") { $0.isUnwritable = true }
        }
        return found.map(\.day)
    }

    /// How long a run asks for what the remote does not have: NASA gives 25 days for one request.
    private static let patience: Duration = .seconds(2)

    private func remoteRow(_ day: CalendarDay, _ service: Service, _ cache: CacheStore) throws -> Metadata? {
        let begun = SteadyTime.now()
        let row = try cache.remoteMetadata(
            day.description, in: Self.collection(service), atMost: RemoteDocument.smallByteLimit, isLasting: true)
        if row == nil { state.withLock { $0.missed += SteadyTime.now() - begun } }
        return row
    }

    /// Returns the latest picture that is kept of the days up to `last`; expired ones count. Throws a failure that ends
    /// the run, or `Cancelled`.
    func newestPicture(through last: CalendarDay, of service: Service) throws -> KeptDay? {
        let (server, address) = (Server(service, at: addresses[service]), foreignAddress(of: service))
        return try reading(service) { cache in
            var last = last
            while let row = try cache.newestMetadata(in: Self.collection(service), through: last.description) {
                if let kept = KeptDay(row, of: server, address: address), kept.result.picture != nil { return kept }
                // A failure, or something that a later version wrote.
                guard let day = CalendarDay(row.name), day > PublishedDays.first else { break }
                last = day.advanced(by: -1)
            }
            return nil
        } ?? nil
    }

    /// Keeps all of it at once. Throws a failure that ends the run, or `Cancelled`.
    func keep(_ days: [KeptDay], of service: Service) throws {
        guard !days.isEmpty, !state.withLock({ $0.isUnwritable || $0.isUnreadable }) else { return }
        let address = foreignAddress(of: service)
        do {
            guard let cache = try cache(for: service) else { return }
            let rows = days.map { $0.metadata(address: address) }
            try cache.keep(rows, in: Self.collection(service))
            // What never expires no longer changes.
            for row in rows where row.expiresAt == nil { cache.offer(row, in: Self.collection(service)) }
        } catch {
            try tell(error, "what NASA answers is not kept") { $0.isUnwritable = true }
        }
    }

    /// Waits for the right to ask a service for something alone, among all threads and processes that keep its days
    /// here: those that wait find the answer kept. It ends with the last reference, and with its holder's life.
    ///
    /// Returns nil if nothing is kept, or the cache cannot be written. Throws a failure that ends the run, or
    /// `Cancelled`.
    ///
    /// - Parameter what: "2024-02-01-2024-02-25", in letters, digits and hyphens.
    func turn(toAsk service: Service, for what: String) throws -> KeyLock? {
        guard !state.withLock({ $0.isUnwritable }) else { return nil }
        return try reading(service) { cache in
            var hasTold = false
            do {
                return try cache.lock("apod-\(service.rawValue)-\(what)") {
                    if !hasTold { log.detail("waiting for another run that asks for \(what)") }
                    hasTold = true
                }
            } catch {
                if error is Cancelled { throw error }
                log.detail("\(what) is asked for without waiting any longer: \(failure(of: error).message)")
                // Without a lock the service is asked all the same, as nobody can be waited for.
                return nil
            }
        } ?? nil
    }

    private static func collection(_ service: Service) -> String { "apod/\(service.rawValue)" }

    /// The address that is kept with a day, so that what somebody's own server says doesn't pass for NASA's.
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

    /// Nil if there is nothing to read from.
    private func reading<Result>(_ service: Service, _ body: (CacheStore) throws -> Result) throws -> Result? {
        if state.withLock({ $0.isUnreadable }) { return nil }
        do {
            return try cache(for: service).map(body)
        } catch {
            try tell(error, "nothing is read from it or kept") { $0.isUnreadable = true }
            return nil
        }
    }

    /// Warns once a run of what is wrong with the cache. Throws what must end the run.
    private func tell(_ error: any Error, _ consequence: String, _ change: (inout State) -> Void) throws {
        let failure = Support.failure(of: error)
        if failure is Cancelled || failure.exitCode == .configuration { throw failure }
        let isFirst = state.withLock { state in
            change(&state)
            defer { state.hasWarned = true }
            return !state.hasWarned
        }
        if isFirst { log.warning("\(failure.message); \(consequence)") }
    }
}
