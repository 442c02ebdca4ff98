import Support

/// What the cache holds and has done.
public struct Statistics: Sendable, Equatable {
    public struct Scope: Sendable, Equatable {
        public let name: String
        public let entries: Int
        /// The entries that were made from pictures.
        public let variants: Int
        public let bytes: Int
        /// What is kept beside the pictures, see `Metadata`; it counts neither as entries nor against the capacity.
        public let metadata: Sum
        /// When the oldest of the counters began; nil before anything was counted.
        public let since: Timestamp?
        public let counters: [Counter: Int]
        /// How often something failed, by the failure's code.
        public let failures: [String: Int]

        public subscript(counter: Counter) -> Int { counters[counter] ?? 0 }
    }

    /// A number of entries and their bytes.
    public struct Sum: Sendable, Equatable {
        public var entries: Int
        public var bytes: Int

        public init(entries: Int = 0, bytes: Int = 0) { (self.entries, self.bytes) = (entries, bytes) }

        static func + (a: Sum, b: Sum) -> Sum { Sum(entries: a.entries + b.entries, bytes: a.bytes + b.bytes) }
    }

    /// Over all scopes.
    public let entries: Int
    /// The entries that were made from pictures.
    public let variants: Int
    public let bytes: Int
    public let capacity: Int
    /// Those that are kept until somebody says otherwise.
    public let pinned: Sum
    /// Those that are not pinned, and whose paths may be in use: their leases have not ended.
    public let leased: Sum
    /// What is kept beside the pictures, over all scopes.
    public let metadata: Sum
    /// All, or the one that was asked for.
    public let scopes: [Scope]

    /// Bytes over capacity, which running leases and pins keep from being trimmed.
    public var excess: Int { max(0, bytes - capacity) }

    /// Bytes that cannot be trimmed at this moment.
    public var heldBytes: Int { pinned.bytes + leased.bytes }

    /// The sum of a counter over the scopes.
    public subscript(counter: Counter) -> Int { scopes.reduce(0) { $0 + $1[counter] } }
}

extension Statistics.Scope {
    /// How many pictures were asked for, and how many of them needed no body from a server; nil before any was.
    package var found: (count: Int, asked: Int)? {
        let found = self[.hits] + self[.revalidated] + self[.stale]
        let asked = found + self[.misses]
        return asked > 0 ? (found, asked) : nil
    }
}
