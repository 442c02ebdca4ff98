/// Reads the entries of scopes in an order, in constant memory and without holding a lock. Concurrent changes may or
/// may not be included.
struct SortedCursor {
    private let order: EntryOrder
    private let scopes: [String: Index.ScopeRow]
    /// The hash of the scope; nil for all scopes.
    private let hash: String?
    private let batch: Int
    private var ids: ArraySlice<Int64> = []
    private var position: Index.SortedPosition?
    private var isAtEnd = false
    private var page: ArraySlice<(entry: Entry, scope: Index.ScopeRow)> = []

    /// - Parameters:
    ///   - hash: the hash of the scope; nil for all scopes.
    ///   - batch: the number of rows sorted together.
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

/// Queries in an order without an index.
extension Index {
    /// The last row of a batch.
    struct SortedPosition: Sendable {
        fileprivate let value: Value
        fileprivate let id: Int64
    }

    /// The number of row numbers read together. Each query scans all rows and keeps this many: a million entries take
    /// sixteen scans, and a megabyte or two of memory.
    static let sortedBatch = 1 << 16

    /// Returns the numbers of up to a batch of rows after `position`, of a scope or of all scopes, and the position of
    /// the last row.
    func sortedRows(
        by order: EntryOrder, hash: String?, after position: SortedPosition?, limit: Int = sortedBatch
    ) throws -> (ids: [Int64], last: SortedPosition?) {
        let direction = order.isReversed ? "DESC" : "ASC"
        // `+` prevents the use of an index: the index of names would read the table in random order.
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

    static let selectByID = "SELECT \(EntryColumn.selection) FROM entries WHERE id = ?1"

    /// Returns the remaining rows with these numbers, in the same order, with their scopes.
    ///
    /// - Parameter scopes: by folder.
    func rows(_ ids: some Sequence<Int64>, of scopes: [String: ScopeRow]) throws -> [(entry: Entry, scope: ScopeRow)] {
        try perform { connection in
            try ids.compactMap { id in
                try connection.database.first(Self.selectByID, Value(id)) { row in
                    // Skips scopes that were purged or created since.
                    scopes[EntryColumn.folder(row)].map { (self.entry(row, scope: $0.name), $0) }
                } ?? nil
            }
        }
    }
}
