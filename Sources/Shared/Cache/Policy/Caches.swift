#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import HTTP
import Support

/// Where a picture is kept, as its policy says.
public enum Place: Sendable {
    /// In a cache: on the disk or in memory.
    case cache(ImageCache)
    /// Nowhere.
    case bypass(Bypass)
}

/// The caches that a run may need, of each policy and scope one: opened when first asked for, so that a run which
/// keeps nothing touches none.
public final class Caches: Sendable {
    /// The most that are open at once, of those used last: records may name any number of scopes, a process may open
    /// 1024 files.
    private static let limit = 32

    public let settings: CacheSettings
    private let inspect: Inspection
    private let clock: Clock
    private let log: Log
    private let metrics: Metrics
    private let interruption: Interruption
    private let open = Monitor(Open())
    /// The places as they are named, and as resolved paths have them.
    private let places: [RuntimePlaces]

    private struct Name: Hashable, Sendable {
        let isInMemory: Bool
        /// Whether nobody named the scope of a cache in memory.
        var isFollowing = false
        /// Nil for the current one.
        let scope: ScopeName?
    }

    private struct Open {
        var caches = LRU<Name, ImageCache>(countLimit: limit, costLimit: limit)
        var bypasses = LRU<ScopeName?, Bypass>(countLimit: limit, costLimit: limit)
        /// The scope last switched to, once it was looked up.
        var current: ScopeName?
    }

    /// - Parameters:
    ///   - settings: a scope in them beats that of any record.
    ///   - inspect: looks at bytes before they are stored.
    public init(
        settings: CacheSettings, clock: Clock = .system, log: Log = .silent, metrics: Metrics = .silent,
        interruption: Interruption, inspect: @escaping Inspection = ImageCache.wholePicture
    ) {
        self.settings = settings
        self.clock = clock
        self.log = log
        self.metrics = metrics
        self.interruption = interruption
        self.inspect = inspect
        places = [settings.places, settings.places.resolved]
    }

    /// The policy for an address; see `Policies.policy`.
    public func policy(for address: @autoclosure () throws -> String) rethrows -> Policy {
        try settings.policies.policy(for: address())
    }

    /// The cache on the disk or in memory where it has been made, without making it.
    func existing(inMemory: Bool) throws -> ImageCache? {
        let roots = inMemory ? settings.places.memory : [settings.root]
        let isThere = roots.contains { CacheRoot($0).indexIdentity() != nil }
        return isThere ? try cache(inMemory: inMemory) : nil
    }

    /// The scope that records belong to which name none. Opens and makes nothing.
    public func scope() throws -> ScopeName {
        try settings.scope ?? open.withLock { open throws in try currentScope(&open) }
    }

    /// Where the picture at an address is kept.
    ///
    /// - Parameter scope: that of a record; nil for the current one.
    public func place(for url: WebURL, scope: String? = nil) throws -> Place {
        try place(policy(for: url.normalized), scope: scope)
    }

    /// The same for an address in its normal form, or a `file` address.
    public func place(for address: @autoclosure () throws -> String, scope: String? = nil) throws -> Place {
        try place(policy(for: address()), scope: scope)
    }

    /// Where what is made of a picture is kept: nothing of one that lies past the cache or in memory ever gets to the
    /// disk.
    ///
    /// - Parameters:
    ///   - path: where the picture lies.
    ///   - address: where it comes from; nil for the file itself.
    ///   - isBypassed: whether a record says that it is kept nowhere.
    public func place(
        forVariantsOf path: String, address: String?, isBypassed: Bool, scope: String? = nil
    ) throws -> Place {
        if isBypassed { return try place(.disabled, scope: scope) }
        let paths = [path] + (realpath(path, nil).map { found in
            defer { free(found) }
            return [String(cString: found)]
        } ?? [])
        func isAny(_ body: (RuntimePlaces, String) -> Bool) -> Bool {
            places.contains { place in paths.contains { body(place, $0) } }
        }
        if isAny({ $0.isBypassed($1) }) { return try place(.disabled, scope: scope) }
        let policy = try policy(for: try address ?? CacheItem.fileKey(path).text)
        if policy == .enabled, isAny({ $0.memoryRoot(of: $1) != nil }) { return try place(.memory, scope: scope) }
        return try place(policy, scope: scope)
    }

    /// Where what stands in for a picture is kept that might have come from any of these addresses: as the strictest of
    /// their policies says.
    public func place(forStandInOf addresses: [WebURL], scope: String? = nil) throws -> Place {
        let policies = addresses.isEmpty ? [settings.policies.standard] : addresses.map { policy(for: $0.normalized) }
        return try place([.disabled, .memory].first(where: policies.contains) ?? .enabled, scope: scope)
    }

    /// Where pictures of this policy are kept.
    public func place(_ policy: Policy, scope: String? = nil) throws -> Place {
        switch policy {
        case .enabled, .memory: .cache(try cache(inMemory: policy == .memory, scope: scope))
        case .disabled: .bypass(try bypass(scope: scope))
        }
    }

    /// The cache of pictures that no rule is about: that in memory where this is the policy, else that on the disk.
    public func standard() throws -> ImageCache { try cache(inMemory: settings.policies.standard == .memory) }

    /// The other cache, on the disk or in memory, where it has been made: for what is to happen to a scope wherever its
    /// pictures are kept. Makes none, and passes over a folder in memory that is not the user's alone.
    public func other(than cache: ImageCache) throws -> ImageCache? {
        var settings = settings
        if CacheRoot(settings.root).path == cache.root {
            guard let root = settings.places.memoryRootInUse, CacheRoot(root).path != cache.root else { return nil }
            settings.scope = try scope()
            settings.root = root
        } else if CacheRoot(settings.root).indexIdentity() == nil {
            return nil
        }
        return try make(settings)
    }

    /// Removes the previews whose lease is over, in memory as on the disk. Makes nothing.
    public func removeOldPreviews() throws {
        for inMemory in [false, true] { try existing(inMemory: inMemory)?.removeOldPreviews() }
    }

    /// How the cache of pictures that no rule is about is opened: see `standard`.
    public func standardSettings() throws -> CacheSettings {
        guard settings.policies.standard == .memory else { return settings }
        return try inMemory(settings, scope: scope())
    }

    /// The cache on the disk, or in memory.
    ///
    /// - Parameter scope: that of a record; nil for the current one.
    public func cache(inMemory: Bool = false, scope: String? = nil) throws -> ImageCache {
        var scope = try self.scope(scope)
        let (cache, closing) = try open.withLock { open throws -> (ImageCache, [ImageCache]) in
            // Which scope is the current one, the index on the disk says.
            let isFollowing = inMemory && scope == nil
            if isFollowing { scope = try currentScope(&open) }
            let name = Name(isInMemory: inMemory, isFollowing: isFollowing, scope: scope)
            if let cache = open.caches.use(name) { return (cache, []) }
            var settings = settings
            settings.scope = scope
            if isFollowing { settings.followedRoot = settings.root }
            let cache = try make(inMemory ? self.inMemory(settings, scope: scope) : settings)
            return (cache, open.caches.insert(cache, for: name, cost: 1))
        }
        // Closed by the one who needs another, while nobody waits: that may take some tenths of a second. Whoever still
        // works with one of them keeps it open until then.
        for cache in closing { cache.close(isLast: false) }
        return cache
    }

    private func inMemory(_ settings: CacheSettings, scope: ScopeName?) throws -> CacheSettings {
        var settings = settings
        settings.scope = scope
        settings.root = try settings.places.memoryRoot()
        settings.capacity = min(settings.capacity, settings.memoryCapacity)
        return settings
    }

    private func make(_ settings: CacheSettings) throws -> ImageCache {
        try ImageCache(
            settings: settings, clock: clock, log: log, metrics: metrics, interruption: interruption, inspect: inspect)
    }

    private func bypass(scope: String?) throws -> Bypass {
        let scope = try self.scope(scope)
        return try open.withLock { open throws in
            if let bypass = open.bypasses.use(scope) { return bypass }
            let bypass = Bypass(
                settings: settings, scope: try scope ?? currentScope(&open), inspect: inspect, clock: clock,
                interruption: interruption)
            open.bypasses.insert(bypass, for: scope, cost: 1)
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
            try open.caches.use(Name(isInMemory: false, scope: nil))?.scope
            ?? Index.currentScope(below: CacheRoot(settings.root)) ?? .standard
        open.current = found
        return found
    }

    /// Returns whether a path leads into a scope of the cache that was purged after the path was handed out. Makes
    /// nothing.
    public func isPurged(_ path: String) throws -> Bool {
        try [false, true].contains { try existing(inMemory: $0)?.isPurged(path) ?? false }
    }

    /// Writes down what was counted. What is to be done for a root at the end of a run is done once, not for each scope.
    public func close() {
        var roots: Set<String> = []
        for cache in open.withLock({ $0.caches.values }) { cache.close(isLast: roots.insert(cache.root).inserted) }
    }
}
