import Fetch
import HTTP
import Store
import Support
import Tools

/// Keeps days in the cache's index: in that of the disk, in memory or nowhere, as the policy for the service's address
/// says. Opened when first needed.
///
/// A cache that cannot be opened, read or written is a warning, and nothing is kept; one of a newer layout ends the
/// run.
public final class CachedDays: DayStore {
    private let caches: Caches
    private let addresses: [Service: WebURL]
    private let log: Log
    private let state = Monitor(State())

    private struct State {
        /// Nil if the policy keeps nothing.
        var caches: [Service: CacheStore?] = [:]
        var isUnreadable = false
        var isUnwritable = false
        var hasWarned = false
    }

    /// - Parameter addresses: those at which the services are asked.
    public init(caches: Caches, addresses: [Service: WebURL], log: Log) {
        self.caches = caches
        self.addresses = addresses
        self.log = log
    }

    /// Throws `CacheFailure` if the index cannot be used, and `Cancelled` if the run is stopped while others keep it
    /// busy.
    public func days(from first: CalendarDay, through last: CalendarDay, of service: Service) throws -> [KeptDay] {
        let address = foreignAddress(of: service)
        return try reading(service) { cache in
            try cache.metadata(in: Self.collection(service), from: first.description, through: last.description)
                .compactMap { Self.day($0, service, address) }
        } ?? []
    }

    /// Throws `CacheFailure` if the index cannot be used, and `Cancelled` if the run is stopped while others keep it
    /// busy.
    public func newestPicture(through last: CalendarDay, of service: Service) throws -> KeptDay? {
        let address = foreignAddress(of: service)
        return try reading(service) { cache in
            var last = last
            while let row = try cache.newestMetadata(in: Self.collection(service), through: last.description) {
                if let kept = Self.day(row, service, address), kept.result.picture != nil { return kept }
                // A failure, or something that a later version wrote.
                guard let day = CalendarDay(row.name), day > PublishedDays.first else { break }
                last = day.advanced(by: -1)
            }
            return nil
        } ?? nil
    }

    /// Throws `CacheFailure` if the root cannot be used or changed, `SystemFailure`, and `Cancelled` if the run is
    /// stopped.
    public func keep(_ days: [KeptDay], of service: Service) throws {
        guard !days.isEmpty, !state.withLock({ $0.isUnwritable || $0.isUnreadable }) else { return }
        let address = foreignAddress(of: service)
        do {
            try cache(for: service)?.keep(
                days.map {
                    Metadata(
                        name: $0.result.day.description, body: $0.body(address: address),
                        fetchedAt: $0.result.fetchedAt, expiresAt: $0.expiresAt)
                }, in: Self.collection(service))
        } catch {
            try tell(error, "what NASA answers is not kept") { $0.isUnwritable = true }
        }
    }

    private static func collection(_ service: Service) -> String { "apod/\(service.rawValue)" }

    private static func day(_ metadata: Metadata, _ service: Service, _ address: String?) -> KeptDay? {
        CalendarDay(metadata.name).flatMap { day in
            KeptDay(
                body: metadata.body, day: day, service: service, address: address, fetchedAt: metadata.fetchedAt,
                expiresAt: metadata.expiresAt)
        }
    }

    /// The address that is kept with a day, so that what somebody's own server says doesn't pass for NASA's.
    private func foreignAddress(of service: Service) -> String? {
        addresses[service].map(\.redacted).flatMap { $0 == service.standardAddress ? nil : $0 }
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
