/// The state of a root that a run checks when it ends, read by a single query.
struct RootState: Sendable, Equatable {
    /// The bytes of all entries, including purged entries.
    var bytes = 0
    /// Whether files still exist although their rows were deleted.
    var hasDoomed = false
    /// Whether purged rows still exist.
    var isPurgePending = false
}

/// The sums of all entries in `totals` and of each scope's entries in `scopes`, which triggers maintain.
struct TotalsTable {
    let database: Database

    /// Excludes purged entries, which will be removed anyway and must not cause evictions.
    static let select = """
        SELECT entries - (SELECT coalesce(sum(entries), 0) FROM scopes WHERE purged = 1),
            bytes - (SELECT coalesce(sum(bytes), 0) FROM scopes WHERE purged = 1)
        FROM totals WHERE id = 1
        """
    static let selectRootState = """
        SELECT bytes, EXISTS (SELECT 1 FROM doomed WHERE folder >= ''), EXISTS (SELECT 1 FROM scopes WHERE purged = 1)
        FROM totals WHERE id = 1
        """

    /// The number and bytes of all entries except purged entries.
    func kept() throws -> EntrySum { try database.sum(Self.select) }

    func rootState() throws -> RootState {
        try database.first(Self.selectRootState) {
            RootState(bytes: $0.int(0), hasDoomed: $0.bool(1), isPurgePending: $0.bool(2))
        } ?? RootState()
    }

    /// Whether the sums match the rows. Reads every row, in a single snapshot.
    func areRight() throws -> Bool {
        let totals = try database.has(
            """
            SELECT 1 FROM totals, (SELECT count(*) AS entries, coalesce(sum(bytes), 0) AS bytes FROM entries) AS found
            WHERE totals.entries = found.entries AND totals.bytes = found.bytes
            """)
        return try totals
            && !database.has(
                """
                SELECT 1 FROM scopes LEFT JOIN
                    (SELECT scope, count(*) AS entries, sum(bytes) AS bytes FROM entries GROUP BY scope) AS found
                    ON found.scope = scopes.id
                WHERE scopes.entries <> coalesce(found.entries, 0) OR scopes.bytes <> coalesce(found.bytes, 0) LIMIT 1
                """)
    }

    /// Recomputes the sums if they do not match the rows.
    func repair() throws {
        if try areRight() { return }
        try database.execute(
            """
            UPDATE totals SET entries = (SELECT count(*) FROM entries),
                bytes = (SELECT coalesce(sum(bytes), 0) FROM entries);
            UPDATE scopes SET entries = (SELECT count(*) FROM entries WHERE scope = scopes.id),
                bytes = (SELECT coalesce(sum(bytes), 0) FROM entries WHERE scope = scopes.id);
            """)
    }
}

extension Database {
    /// Returns the number and bytes in the first row; zero if there is no row.
    func sum(_ sql: String, _ values: Value...) throws -> EntrySum {
        try first(sql, values) { $0.sum(at: 0) } ?? EntrySum()
    }
}

extension Row {
    /// The number in a column and the bytes in the next column.
    func sum(at column: Int) -> EntrySum { EntrySum(entries: int(column), bytes: int(column + 1)) }
}
