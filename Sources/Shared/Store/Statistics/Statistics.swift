import Support

/// The contents and counters of a cache.
public struct Statistics: Sendable, Equatable {
    public struct Scope: Sendable, Equatable {
        public let name: String
        public let entries: Int
        public let variants: Int
        public let bytes: Int
        /// Metadata items (see `Metadata`), which are counted neither as entries nor towards the capacity.
        public let metadata: EntrySum
        /// The start time of the oldest counter; nil before the first count.
        public let since: Timestamp?
        public let counters: [Counter: Int]
        /// The number of failures by code.
        public let failures: [String: Int]

        public subscript(counter: Counter) -> Int { counters[counter] ?? 0 }
    }

    /// The number of entries in all scopes.
    public let entries: Int
    public let variants: Int
    public let bytes: Int
    public let capacity: Int
    public let pinned: EntrySum
    /// Unpinned entries whose leases have not ended.
    public let leased: EntrySum
    public let metadata: EntrySum
    /// The statistics of all scopes, or of the requested scope.
    public let scopes: [Scope]

    /// The bytes above the capacity, which cannot be trimmed because of leases and pins.
    public var excess: Int { max(0, bytes - capacity) }

    /// The bytes that cannot be trimmed now.
    public var heldBytes: Int { pinned.bytes + leased.bytes }

    /// The sum of a counter over all `scopes`.
    public subscript(counter: Counter) -> Int { scopes.reduce(0) { $0 + $1[counter] } }
}

extension Statistics.Scope {
    /// The number of requested pictures (`asked`), and how many of them were served without downloading a body
    /// (`count`). Nil if none were requested.
    package var found: (count: Int, asked: Int)? {
        let found = self[.hits] + self[.revalidated] + self[.stale]
        let asked = found + self[.misses]
        return asked > 0 ? (found, asked) : nil
    }
}
