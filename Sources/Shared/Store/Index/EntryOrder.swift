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
    fileprivate var expression: String {
        switch key {
        case .size: "-bytes"
        case .age: "fetched_at"
        case .used: "last_used"
        case .url: "coalesce(url, key, '')"
        }
    }
}

/// Reading rows in an order that no index has.
extension Index {
    /// How far a listing in an order has come: the last row that was found.
    struct SortedPosition: Sendable {
        fileprivate let value: Value
        fileprivate let id: Int64
    }

    /// How many rows' numbers are read at once. Each time SQLite looks at all rows, and keeps as many as these: enough
    /// for a million entries to take sixteen looks, and a megabyte or two of memory.
    static let sortedBatch = 1 << 16

    /// Returns the numbers of up to a batch of rows that come after `position`, of one scope or of all, and the
    /// position of the last one.
    func sortedRows(
        by order: EntryOrder, hash: String?, after position: SortedPosition?, limit: Int = sortedBatch
    ) throws -> (ids: [Int64], last: SortedPosition?) {
        let direction = order.isReversed ? "DESC" : "ASC"
        // With `+` no index is used: one of names would lead to the rows in the order of names, all over the file.
        let sql = """
            SELECT id, \(order.expression) FROM entries
            WHERE +scope IN (
                    SELECT id FROM scopes WHERE purged = 0 AND (?1 IS NULL OR substr(folder, 1, 32) = ?1))
                AND (?2 IS NULL OR (\(order.expression), id) \(order.isReversed ? "<" : ">") (?2, ?3))
            ORDER BY \(order.expression) \(direction), id \(direction) LIMIT ?4
            """
        return try perform { connection in
            var last: SortedPosition?
            let ids = try connection.database.all(
                sql, Value(hash), position?.value ?? .null, Value(position?.id ?? 0), Value(limit)
            ) { row in
                let id = row.int64(0)
                last = SortedPosition(value: order.key == .url ? Value(row.string(1)) : Value(row.int64(1)), id: id)
                return id
            }
            return (ids, last)
        }
    }

    static let selectByID = "SELECT \(columns) FROM entries WHERE id = ?1"

    /// Returns the rows of these numbers that are still there, in the same order, each with its scope.
    ///
    /// - Parameter scopes: by folder.
    func rows(_ ids: some Sequence<Int64>, of scopes: [String: ScopeRow]) throws -> [(entry: Entry, scope: ScopeRow)] {
        try perform { connection in
            try ids.compactMap { id in
                try connection.database.first(Self.selectByID, Value(id)) { row in
                    // A scope that was purged meanwhile, or made, is not among them.
                    scopes[row.string(21)].map { (self.entry(row, scope: $0.name), $0) }
                } ?? nil
            }
        }
    }
}
