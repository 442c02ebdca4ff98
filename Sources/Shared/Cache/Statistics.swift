import Support

/// What is counted for each scope. Names are written into the index: they are only ever added, never used anew.
public enum Counter: String, Sendable, CaseIterable {
    /// Asked for, found, and fresh.
    case hits
    /// Asked for and not found.
    case misses
    /// Handed out although expired.
    case stale
    /// Expired, and found unchanged by the server.
    case revalidated
    /// Found because another thread or process had just fetched it, after waiting for that.
    case coalesced
    /// Failures that were given again without asking the server.
    case negativeHits = "negative_hits"
    /// Stored from a file or from memory.
    case stored
    /// Variants that were made, and that were found.
    case variantsMade = "variants_made"
    case variantHits = "variant_hits"
    /// Bytes of the files handed out from the cache.
    case bytesServed = "bytes_served"
    /// Bytes of bodies received from servers.
    case bytesFetched = "bytes_fetched"
    /// Entries given up to keep below the capacity, and their bytes.
    case evictions
    case bytesEvicted = "bytes_evicted"
    /// Rows without their file, or with another one.
    case healed
}

/// What the cache holds and has done.
public struct Statistics: Sendable, Equatable {
    public struct Scope: Sendable, Equatable {
        public let name: String
        public let entries: Int
        public let bytes: Int
        /// When the oldest of the counters began; nil before anything was counted.
        public let since: Timestamp?
        public let counters: [Counter: Int]
        /// How often something failed, by the failure's code.
        public let failures: [String: Int]
    }

    /// Over all scopes.
    public let entries: Int
    public let bytes: Int
    public let capacity: Int
    public let scopes: [Scope]

    /// Bytes over capacity, which running leases and pins keep from being trimmed.
    public var excess: Int { max(0, bytes - capacity) }

    /// The sum of a counter over all scopes.
    public subscript(counter: Counter) -> Int { scopes.reduce(0) { $0 + ($1.counters[counter] ?? 0) } }
}

/// Counts that have not been written yet.
struct Tally: Sendable, Equatable {
    private(set) var counts: [String: Int] = [:]
    /// How many events there are; a limit on it bounds what a crash loses.
    private(set) var events = 0

    static let failurePrefix = "failure:"

    mutating func add(_ counter: Counter, _ amount: Int = 1) { add(counter.rawValue, amount) }

    mutating func add(failure: any Failure) { add(Self.failurePrefix + failure.code, 1) }

    private mutating func add(_ name: String, _ amount: Int) {
        counts[name, default: 0] += amount
        events += 1
    }

    var isEmpty: Bool { counts.isEmpty }
}
