/// Sorted queries that no SQL index supports.
extension EntryTable {
    /// The position of the last row of a batch in the sort order.
    struct SortedPosition: Sendable {
        fileprivate let value: Value
        fileprivate let id: Int64
    }

    /// The number of row IDs in a batch. Each query scans all rows and returns a single batch: a million entries take
    /// sixteen scans, and a megabyte or two of memory.
    static let sortedBatch = 1 << 16

    /// Returns the IDs of the next rows after `position`, at most `limit`, and the position of the last of these rows.
    ///
    /// - Parameter hash: the hash of the only scope to read; nil for all scopes.
    func sorted(
        by order: EntryOrder, hash: String?, after position: SortedPosition?, limit: Int = sortedBatch
    ) throws -> (ids: [Int64], last: SortedPosition?) {
        let direction = order.isReversed ? "DESC" : "ASC"
        // `+` keeps SQLite from using `entries_by_name`, which would read the table in random order.
        let sql = """
            SELECT id, \(order.expression) FROM entries
            WHERE +scope IN \(ScopeTable.live(orAll: "?1"))
                AND (?2 IS NULL OR (\(order.expression), id) \(order.isReversed ? "<" : ">") (?2, ?3))
            ORDER BY \(order.expression) \(direction), id \(direction) LIMIT ?4
            """
        var last: SortedPosition?
        let ids = try database.all(
            sql, Value(hash), position?.value ?? .null, Value(position?.id ?? 0), Value(limit)
        ) { row in
            let id = row.int64(0)
            last = SortedPosition(value: order.key == .url ? Value(row.string(1)) : Value(row.int64(1)), id: id)
            return id
        }
        return (ids, last)
    }

    /// Returns the rows with these IDs and their scopes, in the same order. Omits rows that no longer exist.
    ///
    /// - Parameter scopes: the scopes by their folders.
    func rows(_ ids: some Sequence<Int64>, of scopes: [String: ScopeRow]) throws -> [(entry: Entry, scope: ScopeRow)] {
        try ids.compactMap { id in
            try database.first("\(Self.select) id = ?1", Value(id)) { row in
                // Skips rows of scopes that were purged or created since.
                scopes[EntryColumn.folder(row)].map { (Entry(row, scope: $0.name, root: root), $0) }
            } ?? nil
        }
    }
}
