import HTTP
import Store
import Support

/// The caches of a run, by policy and scope. Each is opened on first use, so a run that stores nothing opens no cache.
/// In methods, the parameter `scope` is the scope of a record, or nil for the current scope.
///
/// Methods throw `CacheFailure` if a cache cannot be opened or used, `UnsafePath` for a root that belongs to another
/// user or that other users can change, `SystemFailure` if a system call fails, and `Cancelled` if the run is stopped.
public final class Caches: Sendable {
    /// The maximum number of open caches, because records may name any number of scopes. The least recently used cache
    /// is released. A cache in memory keeps some files open, and a process may have only 1024 open files.
    private static let limit = 32

    public let settings: CacheSettings
    private let inspect: Inspection
    private let clock: Clock
    public let log: Log
    private let metrics: Metrics
    public let interruption: Interruption
    /// The storage shared with other machines, if any.
    public let remote: (any RemoteTier)?
    private let memoryUse: MemoryUse
    private let open = Monitor(Open())

    private struct Open {
        var caches = LRU<CacheStore>(countLimit: limit, costLimit: limit)
        /// The root on disk. Its path is resolved only once.
        var root: CacheRoot?
        /// The single connection to the root on disk, for all scopes.
        var index: Index?
        var ephemeralStores = LRU<EphemeralStore>(countLimit: limit, costLimit: limit)
        var current: ScopeName?
        var resolvedPlaces: RuntimePlaces?

        /// The name of an open cache.
        ///
        /// - Parameter isFollowing: whether the cache is in memory and uses the current scope.
        static func name(isInMemory: Bool = false, scope: ScopeName?, isFollowing: Bool = false) -> String {
            (isInMemory ? "memory" : "disk") + (isFollowing ? " following " : " ") + (scope?.text ?? "")
        }
    }

    /// - Parameters:
    ///   - settings: a scope in the settings overrides the scopes of records.
    ///   - inspect: inspects bytes before they are stored.
    public init(
        settings: CacheSettings, remote: (any RemoteTier)? = nil, clock: Clock = .system, log: Log = .silent,
        metrics: Metrics = .silent, interruption: Interruption,
        inspect: @escaping Inspection = CacheStore.wholePictureOrMovie
    ) {
        self.settings = settings
        self.remote = remote
        self.clock = clock
        self.log = log
        self.metrics = metrics
        self.interruption = interruption
        self.inspect = inspect
        memoryUse = MemoryUse(limit: settings.memoryCapacity, places: settings.places, clock: clock)
    }

    /// The configured places, and the same places with resolved paths.
    var places: [RuntimePlaces] {
        open.withLock { open in
            let resolved = open.resolvedPlaces ?? settings.places.resolved
            open.resolvedPlaces = resolved
            return [settings.places, resolved]
        }
    }

    /// The policy for an address, see `Policies.policy`.
    public func policy(for address: @autoclosure () throws -> String) rethrows -> Policy {
        try settings.policies.policy(for: address())
    }

    /// Returns the cache of the run's scope, on disk or in memory, or nil if it does not exist.
    public func existing(inMemory: Bool) throws -> CacheStore? {
        if inMemory { return try self.inMemory(scope: scope()).first }
        guard settings.root != nil, try root().indexIdentity() != nil else { return nil }
        return try cache()
    }

    /// Returns the existing caches in memory for this root, for a scope or for all scopes, in any folder. A scope has
    /// several such caches if sessions have different values of `XDG_RUNTIME_DIR`.
    public func inMemory(scope: ScopeName? = nil) throws -> [CacheStore] {
        try MemoryPlace.all(root: settings.root, scope: scope, in: settings.places).map {
            try make(settings(in: $0, scope: scope))
        }
    }

    /// Empties the caches in memory of a scope or of all scopes, and returns their previous contents. Other processes
    /// stop their work on these caches, as after `CacheScopes.purge`. With `dryRun`, only counts the contents.
    public func emptyMemory(of scope: ScopeName? = nil, dryRun: Bool = false) throws -> ResetReport {
        let places = try MemoryPlace.all(root: settings.root, scope: scope, in: settings.places)
        var report = ResetReport()
        for place in places {
            report += try make(settings(in: place, scope: scope)).scopes.reset(dryRun: dryRun)
            if !dryRun { place.removeIfUnused() }
        }
        if !dryRun { try MemoryPlace.removeLeftLocks(root: settings.root, scope: scope, in: settings.places) }
        report.scopes = Set(places.map(\.scopeHash)).count
        return report
    }

    /// Returns the cache on disk, even if the policy is `disabled`. If the policy is `memory`, which must not write to
    /// the disk, returns nil instead of creating a missing cache.
    public func onDisk() throws -> CacheStore? {
        try settings.policies.standard == .memory ? existing(inMemory: false) : cache()
    }

    /// Returns all scopes of the standard policy's cache, sorted by name, including the current scope.
    public func scopes() throws -> [ScopeSummary] {
        guard settings.policies.standard == .memory else { return try standard().scopes.all() }
        let current = try scope()
        var found = [
            current.text: ScopeSummary(
                name: current, contents: EntrySum(), generation: 0, isCurrent: true, isPurgePending: false)
        ]
        for place in try MemoryPlace.all(root: settings.root, in: settings.places) {
            let scopes = try make(settings(in: place, scope: nil)).scopes
            for scope in try scopes.all() where scope.name.hash == place.scopeHash {
                found[scope.name.text] = ScopeSummary(
                    name: scope.name, contents: scope.contents, generation: scope.generation,
                    isCurrent: scope.name == current, isPurgePending: scope.isPurgePending)
            }
        }
        return found.values.sorted { $0.name.text < $1.name.text }
    }

    /// The scope of records that name no scope. Opens no cache and creates nothing.
    public func scope() throws -> ScopeName {
        try settings.scope ?? open.withLock { open throws in try currentScope(&open) }
    }

    /// Returns the cache for pictures that no policy rule matches: in memory if the standard policy is `memory`,
    /// otherwise on disk.
    public func standard() throws -> CacheStore { try cache(inMemory: settings.policies.standard == .memory) }

    /// Returns all caches that may have entries of the run's scope. There can be several, because entries stay where
    /// they are when the policy changes. Creates the cache of the standard policy if it is missing.
    public func all() throws -> [CacheStore] {
        let standard = try standard()
        let isInMemory = settings.policies.standard == .memory
        let others = try isInMemory ? [existing(inMemory: false)].compactMap(\.self) : inMemory(scope: scope())
        return [standard] + others
    }

    /// Removes expired previews, in memory and on disk. Creates nothing.
    public func removeOldPreviews() throws {
        for inMemory in [false, true] { try existing(inMemory: inMemory)?.maintenance.removeOldPreviews() }
    }

    /// The settings of the cache `standard()`.
    public func standardSettings() throws -> CacheSettings {
        guard settings.policies.standard == .memory else { return settings }
        let scope = try scope()
        return try settings(in: .writable(root: settings.root, scope: scope, in: settings.places), scope: scope)
    }

    /// Returns the cache on disk or in memory, opening it if necessary.
    public func cache(inMemory: Bool = false, scope: String? = nil) throws -> CacheStore {
        var scope = try self.scope(scope)
        return try open.withLock { open throws in
            // The current scope is recorded in the index on disk, also for caches in memory.
            let isFollowing = inMemory && scope == nil
            if isFollowing { scope = try currentScope(&open) }
            let name = Open.name(isInMemory: inMemory, scope: scope, isFollowing: isFollowing)
            if let cache = open.caches.use(name) { return cache }
            var settings = settings
            if inMemory {
                // Read the current scope only if necessary: reading it from the index on disk costs as much as a hit.
                let current = try scope ?? currentScope(&open)
                let place = try MemoryPlace.writable(root: settings.root, scope: current, in: settings.places)
                settings = try self.settings(in: place, scope: scope)
            }
            settings.scope = scope
            if isFollowing { settings.followedRoot = self.settings.root }
            if !inMemory, open.index == nil {
                open.index = try Index(root: root(&open), log: log, interruption: interruption)
            }
            let cache = try make(settings, index: inMemory ? nil : open.index)
            open.caches.insert(cache, for: name, cost: 1)
            return cache
        }
    }

    /// Returns the settings for the cache in a place. The settings hold a lock that prevents the removal of the place.
    ///
    /// - Parameter scope: nil if the scope does not matter.
    private func settings(in place: MemoryPlace, scope: ScopeName?) throws -> CacheSettings {
        var settings = settings
        settings.scope = scope
        settings.memory = MemoryTenancy(use: memoryUse, lock: try place.held())
        settings.root = place.path
        settings.capacity = min(settings.capacity, settings.memoryCapacity)
        return settings
    }

    private func make(_ settings: CacheSettings, index: Index? = nil) throws -> CacheStore {
        try CacheStore(
            settings: settings, index: index, remote: remote, clock: clock, log: log, metrics: metrics,
            interruption: interruption, inspect: inspect)
    }

    func ephemeralStore(scope: String?) throws -> EphemeralStore {
        let scope = try self.scope(scope)
        return try open.withLock { open throws in
            let name = scope?.text ?? ""
            if let known = open.ephemeralStores.use(name) { return known }
            let store = EphemeralStore(
                settings: settings, scope: try scope ?? currentScope(&open), inspect: inspect, clock: clock,
                interruption: interruption)
            open.ephemeralStores.insert(store, for: name, cost: 1)
            return store
        }
    }

    private func scope(_ scope: String?) throws -> ScopeName? { try settings.scope ?? scope.map(ScopeName.init) }

    /// The root on disk. Throws `CacheFailure.noRoot`.
    func root() throws -> CacheRoot { try open.withLock { open throws in try root(&open) } }

    private func root(_ open: inout Open) throws -> CacheRoot {
        let root = try open.root ?? settings.cacheRoot
        open.root = root
        return root
    }

    /// Returns the current scope. Opens no cache and creates nothing.
    private func currentScope(_ open: inout Open) throws -> ScopeName {
        if let known = open.current { return known }
        let found =
            try open.caches.use(Open.name(scope: nil))?.scope
            ?? (settings.root == nil
                ? nil : waitingWhileBusy(interruption) { try root(&open).currentScope() })
            ?? .standard
        open.current = found
        return found
    }

    /// Whether a path belongs to a purged generation of its scope. Creates nothing.
    public func isPurged(_ path: String) throws -> Bool {
        for places in places {
            guard let place = MemoryPlace(of: path, root: settings.root, in: places) else { continue }
            // A purge removes the place once no process uses it.
            return try !place.isMade || make(settings(in: place, scope: nil)).scopes.isPurged(path)
        }
        return try existing(inMemory: false)?.scopes.isPurged(path) ?? false
    }

    /// Completes the uploads to the remote, writes pending counts, and maintains each root. Then ends the process if
    /// the run was stopped by a signal.
    public func close() {
        remote?.close()
        var closed: [Index] = []
        for cache in open.withLock({ $0.caches.values }) where !closed.contains(where: { $0 === cache.index }) {
            cache.close()
            closed.append(cache.index)
        }
        interruption.endIfSignalled()
    }
}
