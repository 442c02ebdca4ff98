import Support

/// How one run uses the cache.
public struct CacheSettings: Sendable {
    /// The root folder; made where it is missing when something is kept. A relative path is taken from the current
    /// folder. Nil if it has no place: only caches in memory and files past the cache can then be used.
    public var root: String?
    /// Whether the root may belong to another user or be writable by everyone, as volumes of containers are.
    public var allowsSharedRoot = false
    /// The scope to use; nil is the one last switched to, else `default`.
    public var scope: ScopeName?
    /// The root whose current scope `scope` is, where nobody named it: once that is switched, nothing more is stored.
    package var followedRoot: String?
    /// How long an entry counts as fresh after it was fetched.
    public var ttl: Duration = .seconds(14 * 86_400)
    /// When entries expire that are put, also those that are there already; nil leaves these alone, and gives new ones
    /// `ttl`.
    public var expiry: Expiry?
    /// How many bytes of files to keep in the root, over all scopes.
    public var capacity: Int = 200_000_000
    /// How long a path stays valid after it was handed out.
    public var lease: Duration = .seconds(600)
    /// How long to wait for another process that fetches or makes an entry and makes no progress.
    public var timeout: Duration = .seconds(120)
    /// Never ask the network: what has expired is handed out as it is.
    public var isOffline = false
    /// Always ask the network, also for what has not expired.
    public var refreshes = false
    /// Hand out what has expired when the server cannot be reached.
    public var servesStale = true
    /// Let `Cache-Control` and `Expires` shorten the time for which an entry is fresh, and keep nothing that a server
    /// does not want kept.
    public var respectsCacheControl = false
    /// How long a definite failure is given again without asking the server.
    public var negativeTTL = NegativeTTL.none
    /// Which pictures are kept at all, and which in memory only.
    public var policies = Policies()
    /// How many bytes everything in memory takes at most: what all processes of this user keep there of all roots and
    /// scopes, and files past the cache if they lie in memory.
    public var memoryCapacity: Int = 100_000_000
    /// Set for a cache in memory.
    package var memory: MemoryTenancy?
    /// How many of the entries that were handed out lately are handed out again without a look at the disk, as long as
    /// nothing has changed, and how many bytes their files have at most; 0 for none.
    public var recentEntries: Int = 1000
    public var recentBytes: Int = 1_000_000_000
    /// Where the cache in memory and files past the cache lie.
    public var places: RuntimePlaces

    /// The root; opens nothing yet. Throws `CacheFailure.noRoot`.
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

    /// The folders that hold what the tools hand to one another by path: the root, and the run-time places.
    public var folders: [String] { (root.map { [$0] } ?? []) + places.memory + places.bypass }
}

/// What a cache in memory has of the place that it lies in.
package struct MemoryTenancy: Sendable {
    /// Bounds what is written.
    package let use: MemoryUse
    /// See `MemoryPlace.held()`.
    package let lock: File

    package init(use: MemoryUse, lock: File) {
        self.use = use
        self.lock = lock
    }
}

/// How long a definite failure is remembered.
public enum NegativeTTL: Sendable, Equatable {
    /// Nothing is remembered.
    case none
    /// By the kind of failure: 410 the longest, 401 and 403 the shortest, as a setting of the server may change.
    case byClass
    /// Everything that is definite for the same time.
    case always(Duration)
}
