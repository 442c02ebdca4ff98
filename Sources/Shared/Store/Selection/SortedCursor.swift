/// Goes through the entries of scopes in an order. As with `EntryCursor`, memory does not grow with their number,
/// nothing is locked in between, and what comes, goes or changes its place meanwhile may or may not be seen.
struct SortedCursor {
    private let order: EntryOrder
    private let scopes: [String: Index.ScopeRow]
    /// The hash of the scope if there is but one.
    private let hash: String?
    private let batch: Int
    private var ids: ArraySlice<Int64> = []
    private var position: Index.SortedPosition?
    private var isAtEnd = false
    private var page: ArraySlice<(entry: Entry, scope: Index.ScopeRow)> = []

    /// - Parameters:
    ///   - hash: that of the scope whose entries are wanted; nil for all.
    ///   - batch: how many rows are sorted at once.
    init(_ scopes: [Index.ScopeRow], by order: EntryOrder, hash: String?, batch: Int = Index.sortedBatch) {
        self.order = order
        self.scopes = Dictionary(scopes.map { ($0.folder, $0) }) { first, _ in first }
        self.hash = hash
        self.batch = batch
    }

    mutating func next(_ index: Index) throws -> (entry: Entry, scope: Index.ScopeRow)? {
        while true {
            if let next = page.popFirst() { return next }
            if ids.isEmpty {
                if isAtEnd { return nil }
                let found = try index.sortedRows(by: order, hash: hash, after: position, limit: batch)
                ids = found.ids[...]
                position = found.last
                isAtEnd = found.ids.count < batch
            }
            page = try index.rows(ids.prefix(Index.batch), of: scopes)[...]
            ids = ids.dropFirst(Index.batch)
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
