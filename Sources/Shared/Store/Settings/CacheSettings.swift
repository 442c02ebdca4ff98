import Support

/// The settings of a run for the cache.
public struct CacheSettings: Sendable {
    /// The root folder, created by the first write. A relative path is resolved against the current folder. Nil if it
    /// is not configured: only caches in memory and ephemeral files can then be used.
    public var root: String?
    /// Whether the root may belong to another user or be writable by everyone, as volumes of containers are.
    public var allowsSharedRoot = false
    /// The scope to use; nil for the scope last switched to, else `default`.
    public var scope: ScopeName?
    /// The root whose current scope is `scope`, unless it was named. After a switch of that root, nothing more is
    /// stored.
    package var followedRoot: String?
    /// The time after fetching for which an entry is fresh.
    public var ttl: Duration = .seconds(14 * 86_400)
    /// The expiry of stored and of existing entries; nil for `ttl` on new entries only.
    public var expiry: Expiry?
    /// Whether a stored entry must be on the disk before it is returned, so that it survives a power failure.
    public var syncs = false
    /// The maximum size of all files in the root in bytes.
    public var capacity: Int = 200_000_000
    /// The time for which a returned path stays valid.
    public var lease: Duration = .seconds(600)
    /// The maximum wait for another process that fetches or makes an entry without progress.
    public var timeout: Duration = .seconds(120)
    /// Whether to use no network and serve expired entries.
    public var isOffline = false
    /// Whether to ask the server even for fresh entries.
    public var refreshes = false
    /// Whether to serve expired entries if the server cannot be reached.
    public var servesStale = true
    /// Whether `Cache-Control` and `Expires` can shorten the freshness of entries and prevent their storage.
    public var respectsCacheControl = false
    /// The time for which definite failures are cached.
    public var negativeTTL = NegativeTTL.none
    /// Whether and where pictures are stored, by address.
    public var policies = Policies()
    /// The maximum number of bytes in memory: caches of all roots and scopes of this user, and ephemeral files in
    /// memory.
    public var memoryCapacity: Int = 100_000_000
    /// Set for a cache in memory.
    package var memory: MemoryTenancy?
    /// The maximum number and total file size of recently leased entries that are leased again without disk access,
    /// while the index is unchanged; 0 for none.
    public var recentEntries: Int = 1000
    public var recentBytes: Int = 1_000_000_000
    /// The folders for caches in memory and ephemeral files.
    public var places: RuntimePlaces

    /// The root. Makes no system call. Throws `CacheFailure.noRoot`.
    package var cacheRoot: CacheRoot {
        get throws {
            guard let root else { throw CacheFailure.noRoot }
            return CacheRoot(root, isShared: allowsSharedRoot)
        }
    }

    public init(root: String?, scope: ScopeName? = nil, places: RuntimePlaces = RuntimePlaces(environment: [:])) {
        self.root = root
        self.scope = scope
        self.places = places
    }

    /// The folders with files that tools pass to each other by path: the root and the runtime places.
    public var folders: [String] { (root.map { [$0] } ?? []) + places.memory + places.ephemeral }
}

/// The resources of a cache in memory.
package struct MemoryTenancy: Sendable {
    /// The memory limit.
    package let use: MemoryUse
    /// See `MemoryPlace.held()`.
    package let lock: File

    package init(use: MemoryUse, lock: File) {
        self.use = use
        self.lock = lock
    }
}

/// The duration for which definite failures are cached.
public enum NegativeTTL: Sendable, Equatable {
    /// Nothing is cached.
    case none
    /// By kind of failure: 410 the longest; 401 and 403 the shortest, because a setting of the server may change.
    case byClass
    /// Every definite failure for the same time.
    case always(Duration)
}

extension CacheSettings {
    /// The expiry of an entry of the remote: its own, but at most the TTL from now.
    func latestExpiry(_ expiresAt: Timestamp?, now: Timestamp) -> Timestamp {
        let latest = now + ttl
        return expiresAt.map { min($0, latest) } ?? latest
    }

    /// Creates the folders that the policies need, for a process that cannot create them later. Ignores failures, which
    /// the step that needs a folder reports.
    ///
    /// - Parameter root: whether to create the root. A run that only looks does not.
    public func makeFolders(root: Bool) {
        func calls(for policy: Policy) -> Bool {
            policies.standard == policy || policies.rules.contains { $0.policy == policy }
        }
        if root, calls(for: .enabled) { try? cacheRoot.makeRoot() }
        // Answers with `no-store` are ephemeral files too. All ephemeral files and caches in memory share one ledger.
        if calls(for: .memory) || calls(for: .disabled) || respectsCacheControl { _ = try? places.memoryFolder() }
        if calls(for: .disabled) || respectsCacheControl { _ = try? places.ephemeralFolder() }
    }
}
