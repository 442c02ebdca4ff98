import Fetch
import HTTP
import Records
import Store
import Support

/// The list of all exercises of the service. It is cached in the index for the time `CacheSettings.ttl`. The policy for
/// the service's address decides whether the list is cached on disk or in memory.
public struct ExerciseList: Sendable {
    private static let collection = "exercisedb"
    private static let name = "exercises"

    private let caches: Caches
    private let service: ExerciseService
    private let client: HTTPClient
    private let log: Log
    private let clock: Clock

    public init(caches: Caches, service: ExerciseService, client: HTTPClient, log: Log, clock: Clock = .system) {
        self.caches = caches
        self.service = service
        self.client = client
        self.log = log
        self.clock = clock
    }

    /// Returns the exercises in the service's order, unchanged. If the service cannot be reached, or if the run is
    /// offline, warns and returns an expired list.
    ///
    /// Warns if the cache cannot be used, but throws if the cache has a newer layout. Throws `GIFFailure`,
    /// `FetchFailure`, `CacheFailure`, `Cancelled`.
    ///
    /// - Parameter refreshes: whether to request the list even if the cached list is fresh.
    public func exercises(refreshes: Bool = false) throws -> [Record] {
        let cache =
            try usingCache("the exercise list is not cached") {
                try caches.storage(for: service.listURL(limit: 0, offset: 0)).cache
            } ?? nil
        let kept: (list: CachedExerciseList, metadata: Metadata)? =
            try usingCache("the cached exercise list is not used") {
                try cache?.metadata.item(Self.name, in: Self.collection).flatMap { row in
                    CachedExerciseList(body: row.body, address: service.address).map { ($0, row) }
                }
            } ?? nil
        if let kept, !refreshes, isFresh(kept.metadata) { return kept.list.exercises }
        if let cache, !refreshes, let list = try shared(by: cache) { return list.exercises }
        if caches.settings.isOffline {
            guard let kept else { throw CacheFailure.offline(key: "exercisedb:exercises") }
            log.warning("using the exercise list from \(kept.metadata.fetchedAt.iso8601)")
            return kept.list.exercises
        }
        do {
            let exercises = try ask()
            // An empty list is probably a fault of the service.
            if let cache, !exercises.isEmpty {
                let now = clock.now()
                let row = Metadata(
                    name: Self.name, body: CachedExerciseList(exercises).body(address: service.address), fetchedAt: now,
                    expiresAt: now + caches.settings.ttl)
                try keep(row, in: cache)
                cache.metadata.offer(row, in: Self.collection)
            }
            return exercises
        } catch let failure as any Failure where failure.isTransient && !(failure is Cancelled) {
            guard let kept else { throw failure }
            log.warning("\(failure.message); using the exercise list from \(kept.metadata.fetchedAt.iso8601)")
            return kept.list.exercises
        }
    }

    /// Returns the cached list of a service, even if it has expired. Returns an empty list if no list is cached. Does
    /// not modify the cache.
    public static func kept(of service: ExerciseService, by settings: CacheSettings) throws -> [Record] {
        let row = try settings.metadata(name, in: collection)
        return row.flatMap { CachedExerciseList(body: $0.body, address: service.address)?.exercises } ?? []
    }

    /// Returns whether a row is fresh. A row from the future is not fresh: the clock was set back after the row was
    /// fetched, so its age is unknown.
    private func isFresh(_ row: Metadata) -> Bool {
        let now = clock.now()
        return row.expiresAt.map { $0 > now } != false && row.fetchedAt <= now + Clock.tolerance
    }

    /// Looks up the list in the remote. Caches and returns it if it is fresh, otherwise returns nil.
    private func shared(by cache: CacheStore) throws -> CachedExerciseList? {
        guard
            let row = try cache.metadata.remoteItem(
                Self.name, in: Self.collection, atMost: RemoteDocument.byteLimit, mayNeverExpire: false),
            isFresh(row),
            let list = CachedExerciseList(body: row.body, address: service.address)
        else { return nil }
        try keep(row, in: cache)
        return list
    }

    private func keep(_ row: Metadata, in cache: CacheStore) throws {
        _ = try usingCache("the exercise list is not cached") { try cache.metadata.keep([row], in: Self.collection) }
    }

    private func ask() throws -> [Record] {
        do {
            var pages = try ExercisePages(of: service)
            while let url = pages.next { try pages.add(client.data(service.listRequest(url)).1) }
            return pages.exercises
        } catch {
            throw service.failure(of: error)
        }
    }

    /// Returns nil and warns if the cache cannot be used.
    private func usingCache<Result>(_ consequence: String, _ body: () throws -> Result) throws -> Result? {
        do {
            return try body()
        } catch {
            let failure = Support.failure(of: error)
            if failure is Cancelled || failure.exitCode == .configuration { throw failure }
            log.warning("\(failure.message); \(consequence)")
            return nil
        }
    }
}
