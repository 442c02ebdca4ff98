import Support

/// The cache settings of a run.
public struct CacheSettings: Sendable {
    /// The root folder, created by the first write. A relative path is resolved against the current folder. Nil if it
    /// is not configured: only caches in memory and ephemeral files can then be used.
    public var root: String? { didSet { lacksRoot = false } }
    /// Whether the root was missing when the process dropped the right to open it. The run then never opens it, even if
    /// another process creates it.
    public var lacksRoot = false
    /// Whether the root may belong to another user or be writable by everyone, as volumes of containers are.
    public var allowsSharedRoot = false
    /// The scope to use; nil for the scope last switched to or, if there was no switch, `default`.
    public var scope: ScopeName?
    /// The root whose current scope was copied to `scope`; nil if the user named the scope. After that root switches to
    /// another scope, nothing more is stored.
    package var followedRoot: String?
    /// The freshness lifetime of an entry, from the time of fetching.
    public var ttl: Duration = .seconds(14 * 86_400)
    /// The expiry of new and existing entries; nil to use `ttl` for new entries and not to change existing entries.
    public var expiry: Expiry?
    /// Whether to sync a stored entry to the disk before it is returned, so that it survives a power failure.
    public var syncs = false
    /// The maximum size of all files in the root in bytes.
    public var capacity: Int = 200_000_000
    /// The minimum time that a returned path stays valid.
    public var lease: Duration = .seconds(600)
    /// The maximum wait for another process that is fetching or making an entry but makes no progress.
    public var timeout: Duration = .seconds(120)
    /// Whether the run must not use the network. Expired entries are then served.
    public var isOffline = false
    /// Whether to ask the server even for fresh entries.
    public var refreshes = false
    /// Whether to serve expired entries if the server cannot be reached.
    public var servesStale = true
    /// Whether `Cache-Control` and `Expires` can shorten the freshness lifetime of entries and prevent their storage.
    public var respectsCacheControl = false
    /// The lifetime of cached permanent failures.
    public var negativeTTL = NegativeTTL.none
    /// Whether and where pictures are stored, by address.
    public var policies = Policies()
    /// The maximum number of bytes in memory, for the caches of all roots and scopes of this user and for ephemeral
    /// files in memory.
    public var memoryCapacity: Int = 100_000_000
    /// Set if this is a cache in memory.
    package var memory: MemoryTenancy?
    /// The maximum number and total file size of the recently used entries that a process remembers. While the index is
    /// unchanged, these entries are returned without disk access. 0 for none.
    public var recentEntries: Int = 1000
    public var recentBytes: Int = 1_000_000_000
    /// The folders for caches in memory and ephemeral files.
    public var places: RuntimePlaces

    /// The root. Makes no system call. Throws `CacheFailure.noRoot`.
    package var cacheRoot: CacheRoot {
        get throws {
            guard let root else { throw CacheFailure.noRoot }
            return CacheRoot(root, isShared: allowsSharedRoot, isMissing: lacksRoot)
        }
    }

    public init(root: String?, scope: ScopeName? = nil, places: RuntimePlaces = RuntimePlaces(environment: [:])) {
        self.root = root
        self.scope = scope
        self.places = places
    }

    /// The folders whose files the tools pass to each other by path: the root and the runtime places.
    public var folders: [String] { (root.map { [$0] } ?? []) + places.memory + places.ephemeral }
}

/// The resources of a cache in memory.
package struct MemoryTenancy: Sendable {
    package let use: MemoryUse
    /// See `MemoryPlace.held()`.
    package let lock: File

    package init(use: MemoryUse, lock: File) {
        self.use = use
        self.lock = lock
    }
}

/// The lifetime of cached permanent failures.
public enum NegativeTTL: Sendable, Equatable {
    /// Failures are not cached.
    case none
    /// Depends on the failure: longest for 410; shortest for 401 and 403, because a setting of the server may change.
    case byClass
    /// The same time for every permanent failure.
    case always(Duration)
}

extension CacheSettings {
    /// The expiry of an entry from the remote: its recorded expiry, but at most the TTL from now.
    func latestExpiry(_ expiresAt: Timestamp?, now: Timestamp) -> Timestamp {
        let latest = now + ttl
        return expiresAt.map { min($0, latest) } ?? latest
    }

    /// Creates the folders that the policies need, because the sandbox may not permit this later. Ignores failures: the
    /// first use of a missing folder reports them.
    ///
    /// - Parameter root: whether to create the root; false for read-only commands.
    public func makeFolders(root: Bool) {
        func calls(for policy: Policy) -> Bool {
            policies.standard == policy || policies.rules.contains { $0.policy == policy }
        }
        if root, calls(for: .enabled) { try? cacheRoot.makeRoot() }
        // Answers with `no-store` become ephemeral files too. The ledger of `MemoryUse` is in the memory folder.
        if calls(for: .memory) || calls(for: .disabled) || respectsCacheControl { _ = try? places.memoryFolder() }
        if calls(for: .disabled) || respectsCacheControl { _ = try? places.ephemeralFolder() }
    }
}
