import HTTP
import Store
import Support

/// Where a picture is kept, as its policy says.
public enum Storage: Sendable {
    /// In a cache: on the disk or in memory.
    case cache(CacheStore)
    /// Nowhere.
    case bypass(Bypass)
}

/// The caches that a run may need, of each policy and scope one: opened when first asked for, so that a run which
/// keeps nothing touches none.
public final class Caches: Sendable {
    /// The most that are remembered, those used last: records may name any number of scopes. Each in memory has some
    /// open files, of which a process may have 1024.
    private static let limit = 32

    public let settings: CacheSettings
    private let inspect: Inspection
    private let clock: Clock
    public let log: Log
    private let metrics: Metrics
    /// How the run is stopped.
    public let interruption: Interruption
    /// What is shared with other machines; nil for nothing.
    public let remote: (any RemoteTier)?
    private let memoryUse: MemoryUse
    private let open = Monitor(Open())

    private struct Open {
        /// By `name`.
        var caches = LRU<CacheStore>(countLimit: limit, costLimit: limit)
        /// The one connection to the root on the disk, for all scopes.
        var index: Index?
        var bypasses = LRU<Bypass>(countLimit: limit, costLimit: limit)
        /// The scope last switched to, once it was looked up.
        var current: ScopeName?
        /// The places as resolved paths have them, once they were needed.
        var resolvedPlaces: RuntimePlaces?

        /// A name for each cache.
        ///
        /// - Parameters:
        ///   - scope: nil for the current one.
        ///   - isFollowing: whether nobody named the scope of a cache in memory.
        static func name(isInMemory: Bool = false, scope: ScopeName?, isFollowing: Bool = false) -> String {
            (isInMemory ? "memory" : "disk") + (isFollowing ? " following " : " ") + (scope?.text ?? "")
        }
    }

    /// - Parameters:
    ///   - settings: a scope in them beats that of any record.
    ///   - remote: what is shared with other machines; nil for nothing.
    ///   - inspect: looks at bytes before they are stored.
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

    /// The places as they are named, and as resolved paths have them.
    private var places: [RuntimePlaces] {
        open.withLock { open in
            let resolved = open.resolvedPlaces ?? settings.places.resolved
            open.resolvedPlaces = resolved
            return [settings.places, resolved]
        }
    }

    /// The policy for an address; see `Policies.policy`.
    public func policy(for address: @autoclosure () throws -> String) rethrows -> Policy {
        try settings.policies.policy(for: address())
    }

    /// The cache of the scope in use on the disk or in memory where it has been made, without making it. Throws
    /// `CacheFailure` if the cache cannot be opened, `UnsafePlace` for a root that is not trusted, and `SystemFailure`.
    public func existing(inMemory: Bool) throws -> CacheStore? {
        if inMemory { return try self.inMemory(scope: scope()).first }
        guard settings.root != nil, try settings.cacheRoot.indexIdentity() != nil else { return nil }
        return try cache()
    }

    /// The caches in memory that have been made for this root, of all scopes or of one, wherever in memory they are.
    /// Makes none.
    ///
    /// One scope has more than one where sessions differ in `XDG_RUNTIME_DIR`. Throws `CacheFailure` if a root cannot
    /// be used, `SystemFailure`, and `Cancelled` if the run is stopped.
    public func inMemory(scope: ScopeName? = nil) throws -> [CacheStore] {
        try MemoryPlace.all(root: settings.root, scope: scope, in: settings.places).map {
            try make(settings(in: $0, scope: scope))
        }
    }

    /// Empties the caches in memory of one scope, or of all, and gives what they held. What is under way for them in
    /// other processes ends as after `CacheStore.purge`. Throws `CacheFailure` if a root cannot be used,
    /// `SystemFailure`, and `Cancelled` if the run is stopped.
    public func emptyMemory(of scope: ScopeName? = nil) throws -> ResetReport {
        let places = try MemoryPlace.all(root: settings.root, scope: scope, in: settings.places)
        var report = ResetReport()
        for place in places {
            report += try make(settings(in: place, scope: scope)).reset()
            place.removeIfUnused()
        }
        try MemoryPlace.removeLeftLocks(root: settings.root, scope: scope, in: settings.places)
        report.scopes = Set(places.map(\.scopeHash)).count
        return report
    }

    /// Returns what `emptyMemory` would take away. Throws `CacheFailure` if a root cannot be used, `SystemFailure`, and
    /// `Cancelled` if the run is stopped.
    public func memoryReport(of scope: ScopeName? = nil) throws -> ResetReport {
        let places = try MemoryPlace.all(root: settings.root, scope: scope, in: settings.places)
        var report = ResetReport()
        for place in places { report += try make(settings(in: place, scope: nil)).resetReport() }
        report.scopes = Set(places.map(\.scopeHash)).count
        return report
    }

    /// The cache on the disk, for what is done to it whatever the policy; under the policy `memory` only where it has
    /// been made, since that leaves the disk alone. Throws `CacheFailure` if the cache cannot be opened, `UnsafePlace`
    /// for a root that is not trusted, and `SystemFailure`.
    public func onDisk() throws -> CacheStore? {
        try settings.policies.standard == .memory ? existing(inMemory: false) : cache()
    }

    /// All scopes of the cache of the standard policy, by name, the current one included. Throws `CacheFailure` if a
    /// root cannot be used, `SystemFailure`, and `Cancelled` if the run is stopped.
    public func scopes() throws -> [ScopeSummary] {
        guard settings.policies.standard == .memory else { return try standard().scopes() }
        let current = try scope()
        var found = [
            current.text: ScopeSummary(
                name: current, contents: ScopeContents(), generation: 0, isCurrent: true, isPurgePending: false)
        ]
        for place in try MemoryPlace.all(root: settings.root, in: settings.places) {
            for scope in try make(settings(in: place, scope: nil)).scopes() where scope.name.hash == place.scopeHash {
                found[scope.name.text] = ScopeSummary(
                    name: scope.name, contents: scope.contents, generation: scope.generation,
                    isCurrent: scope.name == current, isPurgePending: scope.isPurgePending)
            }
        }
        return found.values.sorted { $0.name.text < $1.name.text }
    }

    /// The scope that records belong to which name none. Opens and makes nothing. Throws `CacheFailure` if the index
    /// cannot be used, and `Cancelled` if the run is stopped while others keep it busy.
    public func scope() throws -> ScopeName {
        try settings.scope ?? open.withLock { open throws in try currentScope(&open) }
    }

    /// Where the picture at an address is kept. Throws `CacheFailure` if the cache cannot be opened, `UnsafePlace` for
    /// a root that is not trusted, and `SystemFailure`.
    ///
    /// - Parameter scope: that of a record; nil for the current one.
    public func storage(for url: WebURL, scope: String? = nil) throws -> Storage {
        try storage(policy(for: url.normalized), scope: scope)
    }

    /// The same for an address in its normal form, or a `file` address. Throws `CacheFailure` if the cache cannot be
    /// opened, `UnsafePlace` for a root that is not trusted, and `SystemFailure`.
    public func storage(for address: @autoclosure () throws -> String, scope: String? = nil) throws -> Storage {
        try storage(policy(for: address()), scope: scope)
    }

    /// Where what is made of a picture is kept: nothing of one that lies past the cache or in memory ever gets to the
    /// disk. Throws `CacheFailure` if the cache cannot be opened, `UnsafePlace` for a root that is not trusted, and
    /// `SystemFailure`.
    ///
    /// - Parameters:
    ///   - path: where the picture lies.
    ///   - address: where it comes from; nil for the file itself.
    ///   - isBypassed: whether a record says that it is kept nowhere.
    public func storage(
        forVariantsOf path: String, address: String?, isBypassed: Bool, scope: String? = nil
    ) throws -> Storage {
        if isBypassed { return try storage(.disabled, scope: scope) }
        let paths = [path] + [resolvedPath(path)].compactMap(\.self)
        func isAny(_ body: (RuntimePlaces, String) -> Bool) -> Bool {
            places.contains { place in paths.contains { body(place, $0) } }
        }
        if isAny({ $0.isBypassed($1) }) { return try storage(.disabled, scope: scope) }
        let policy = try policy(for: try address ?? CacheKey.ofFile(path).text)
        if policy == .enabled, isAny({ $0.memoryFolder(of: $1) != nil }) { return try storage(.memory, scope: scope) }
        return try storage(policy, scope: scope)
    }

    /// Where a placeholder is kept for a picture that might have come from any of these addresses: as the strictest of
    /// their policies says. Throws `CacheFailure` if the cache cannot be opened, `UnsafePlace` for a root that is not
    /// trusted, and `SystemFailure`.
    public func storage(forStandInOf addresses: [WebURL], scope: String? = nil) throws -> Storage {
        let policies = addresses.isEmpty ? [settings.policies.standard] : addresses.map { policy(for: $0.normalized) }
        return try storage([.disabled, .memory].first(where: policies.contains) ?? .enabled, scope: scope)
    }

    /// Where pictures of this policy are kept. Throws `CacheFailure` if the cache cannot be opened, `UnsafePlace` for a
    /// root that is not trusted, and `SystemFailure`.
    public func storage(_ policy: Policy, scope: String? = nil) throws -> Storage {
        switch policy {
        case .enabled, .memory: .cache(try cache(inMemory: policy == .memory, scope: scope))
        case .disabled: .bypass(try bypass(scope: scope))
        }
    }

    /// The cache of pictures that no rule is about: that in memory where this is the policy, else that on the disk.
    /// Throws `CacheFailure` if the cache cannot be opened, `UnsafePlace` for a root that is not trusted, and
    /// `SystemFailure`.
    public func standard() throws -> CacheStore { try cache(inMemory: settings.policies.standard == .memory) }

    /// The caches that may have entries of the scope in use, on the disk and in memory: policies change, and what was
    /// kept under an earlier one is still there. That of the policy is made where it is missing. Throws `CacheFailure`
    /// if the cache cannot be opened, `UnsafePlace` for a root that is not trusted, and `SystemFailure`.
    public func all() throws -> [CacheStore] {
        let standard = try standard()
        let isInMemory = settings.policies.standard == .memory
        let others = try isInMemory ? [existing(inMemory: false)].compactMap(\.self) : inMemory(scope: scope())
        return [standard] + others
    }

    /// Removes the previews whose lease is over, in memory as on the disk. Makes nothing. Throws `CacheFailure` if the
    /// cache cannot be opened, `UnsafePlace` for a root that is not trusted, and `SystemFailure`.
    public func removeOldPreviews() throws {
        for inMemory in [false, true] { try existing(inMemory: inMemory)?.removeOldPreviews() }
    }

    /// How the cache of pictures that no rule is about is opened: see `standard`. Throws `CacheFailure` if a root
    /// cannot be used, `SystemFailure`, and `Cancelled` if the run is stopped.
    public func standardSettings() throws -> CacheSettings {
        guard settings.policies.standard == .memory else { return settings }
        let scope = try scope()
        return try settings(in: .writable(root: settings.root, scope: scope, in: settings.places), scope: scope)
    }

    /// The cache on the disk, or in memory. Throws `CacheFailure` if the cache cannot be opened, `UnsafePlace` for a
    /// root that is not trusted, and `SystemFailure`.
    ///
    /// - Parameter scope: that of a record; nil for the current one.
    public func cache(inMemory: Bool = false, scope: String? = nil) throws -> CacheStore {
        var scope = try self.scope(scope)
        return try open.withLock { open throws in
            // Which scope is the current one, the index on the disk says.
            let isFollowing = inMemory && scope == nil
            if isFollowing { scope = try currentScope(&open) }
            let name = Open.name(isInMemory: inMemory, scope: scope, isFollowing: isFollowing)
            if let cache = open.caches.use(name) { return cache }
            var settings = settings
            if inMemory {
                // Read from the index on the disk, which costs as much as a hit.
                let current = try scope ?? currentScope(&open)
                let place = try MemoryPlace.writable(root: settings.root, scope: current, in: settings.places)
                settings = try self.settings(in: place, scope: scope)
            }
            settings.scope = scope
            if isFollowing { settings.followedRoot = self.settings.root }
            if !inMemory, open.index == nil {
                open.index = try Index(root: settings.cacheRoot, log: log, interruption: interruption)
            }
            let cache = try make(settings, index: inMemory ? nil : open.index)
            open.caches.insert(cache, for: name, cost: 1)
            return cache
        }
    }

    /// How the cache in a place is opened: that of its scope. From then on nobody removes the place while the cache is
    /// in use.
    ///
    /// - Parameter scope: nil if it is only looked at what there is.
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

    private func bypass(scope: String?) throws -> Bypass {
        let scope = try self.scope(scope)
        return try open.withLock { open throws in
            let name = scope?.text ?? ""
            if let bypass = open.bypasses.use(name) { return bypass }
            let bypass = Bypass(
                settings: settings, scope: try scope ?? currentScope(&open), inspect: inspect, clock: clock,
                interruption: interruption)
            open.bypasses.insert(bypass, for: name, cost: 1)
            return bypass
        }
    }

    private func scope(_ scope: String?) throws -> ScopeName? {
        try settings.scope ?? scope.map(ScopeName.init)
    }

    /// The scope last switched to, without making or opening anything that is not there or open already.
    private func currentScope(_ open: inout Open) throws -> ScopeName {
        if let known = open.current { return known }
        let found =
            try open.caches.use(Open.name(scope: nil))?.scope
            ?? (settings.root == nil
                ? nil : waitingWhileBusy(interruption) { try Index.currentScope(below: settings.cacheRoot) })
            ?? .standard
        open.current = found
        return found
    }

    /// Returns whether a path leads into a scope of the cache that was purged after the path was handed out. Makes
    /// nothing. Throws `CacheFailure` if a root cannot be used, `SystemFailure`, and `Cancelled` if the run is stopped.
    public func isPurged(_ path: String) throws -> Bool {
        for places in places {
            guard let place = MemoryPlace(of: path, root: settings.root, in: places) else { continue }
            // Removed as soon as nothing was in it, and nobody used it.
            return try !place.isMade || make(settings(in: place, scope: nil)).isPurged(path)
        }
        return try existing(inMemory: false)?.isPurged(path) ?? false
    }

    /// Hands over what the remote is still to get, writes down what was counted, and puts each root in order once. A
    /// signal that comes meanwhile ends the process.
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
