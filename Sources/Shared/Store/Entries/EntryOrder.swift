/// A sort order of entries. Entries that compare equal keep the order in which they were stored.
public struct EntryOrder: Sendable, Equatable {
    public enum Key: String, Sendable, CaseIterable {
        /// The largest first.
        case size
        /// The earliest fetched first.
        case age
        /// The least recently used first.
        case used
        /// By address, or by key if there is no address, byte by byte.
        case url
    }

    public var key: Key
    public var isReversed: Bool

    public init(_ key: Key, reversed: Bool = false) {
        self.key = key
        isReversed = reversed
    }

    /// Whether `a` comes before `b`. Used to merge the sorted entries of two caches.
    public func precedes(_ a: Entry, _ b: Entry) -> Bool {
        let (a, b) = isReversed ? (b, a) : (a, b)
        return switch key {
        case .size: a.bytes > b.bytes
        case .age: a.fetchedAt < b.fetchedAt
        case .used: a.lastUsed < b.lastUsed
        case .url: (a.url ?? a.key ?? "").utf8.lexicographicallyPrecedes((b.url ?? b.key ?? "").utf8)
        }
    }

    /// The SQL expression to sort by, ascending.
    var expression: String {
        switch key {
        case .size: "-bytes"
        case .age: "fetched_at"
        case .used: "last_used"
        case .url: "coalesce(url, key, '')"
        }
    }
}
