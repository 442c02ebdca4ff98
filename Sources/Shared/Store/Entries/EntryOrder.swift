/// An order of entries. Those that the order does not tell apart come as they were stored.
public struct EntryOrder: Sendable, Equatable {
    public enum Key: String, Sendable, CaseIterable {
        /// The largest first.
        case size
        /// The one fetched longest ago first.
        case age
        /// The one not handed out for longest first.
        case used
        /// By address, or by key if there is no address, byte by byte.
        case url
    }

    public var key: Key
    /// Whether the last comes first.
    public var isReversed: Bool

    public init(_ key: Key, reversed: Bool = false) {
        self.key = key
        isReversed = reversed
    }

    /// Returns whether `a` comes before `b`, entries of two caches.
    public func precedes(_ a: Entry, _ b: Entry) -> Bool {
        let (a, b) = isReversed ? (b, a) : (a, b)
        return switch key {
        case .size: a.bytes > b.bytes
        case .age: a.fetchedAt < b.fetchedAt
        case .used: a.lastUsed < b.lastUsed
        case .url: (a.url ?? a.key ?? "").utf8.lexicographicallyPrecedes((b.url ?? b.key ?? "").utf8)
        }
    }

    /// What SQLite sorts by, the least first.
    var expression: String {
        switch key {
        case .size: "-bytes"
        case .age: "fetched_at"
        case .used: "last_used"
        case .url: "coalesce(url, key, '')"
        }
    }
}
