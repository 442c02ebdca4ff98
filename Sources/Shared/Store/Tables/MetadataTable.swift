import Support

/// Rows of `metadata`. Writing these rows changes no entry.
struct MetadataTable {
    let database: Database

    /// The columns that `Metadata.init` reads.
    static let columns = "name, body, fetched_at, expires_at"
    static let select = """
        SELECT \(columns) FROM metadata
        WHERE scope = \(ScopeTable.live) AND collection = ?2 AND name BETWEEN ?3 AND ?4 ORDER BY name
        """
    private static let isExpired = "scope IN \(ScopeTable.live(orAll: "?2")) AND expires_at < ?1"

    /// Returns the items whose names are in `first...last`, sorted by name.
    func items(
        in collection: String, of scope: ScopeName, from first: String, through last: String
    ) throws -> [Metadata] {
        try database.all(
            Self.select, Value(scope.hash), Value(collection), Value(first), Value(last), read: Metadata.init)
    }

    func newest(in collection: String, of scope: ScopeName, through last: String) throws -> Metadata? {
        try database.first(
            """
            SELECT \(Self.columns) FROM metadata
            WHERE scope = \(ScopeTable.live) AND collection = ?2 AND name <= ?3 ORDER BY name DESC LIMIT 1
            """, Value(scope.hash), Value(collection), Value(last), read: Metadata.init)
    }

    /// Writes a row. Returns false if the existing row was fetched later and therefore stays, unless it was fetched in
    /// the future, because the clock was set back.
    @discardableResult
    func keep(
        _ item: Metadata, digest: Int64, in collection: String, of scopeID: Int64, now: Timestamp
    ) throws -> Bool {
        try database.run(
            """
            INSERT INTO metadata (scope, collection, name, body, fetched_at, expires_at, bytes, digest)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (scope, collection, name) DO UPDATE SET
                body = ?4, fetched_at = ?5, expires_at = ?6, bytes = ?7, digest = ?8
            WHERE fetched_at <= ?5 OR fetched_at > ?9
            """, Value(scopeID), Value(collection), Value(item.name), Value(item.body), Value(item.fetchedAt),
            Value(item.expiresAt), Value(item.body.count), Value(digest), Value(now + Clock.tolerance)) > 0
    }

    /// Returns the number and bytes of items in each live scope, by the scope's row ID.
    func sums() throws -> [Int64: EntrySum] {
        let sums = try database.all(
            """
            SELECT scope, count(*), sum(bytes) FROM metadata INDEXED BY metadata_by_end
            WHERE scope IN \(ScopeTable.live(orAll: "NULL")) GROUP BY scope
            """
        ) { ($0.int64(0), $0.sum(at: 1)) }
        return Dictionary(uniqueKeysWithValues: sums)
    }

    /// Returns the sum of the items that expired before `limit`.
    func expired(before limit: Timestamp, of scope: ScopeName?) throws -> EntrySum {
        try database.sum(
            "SELECT count(*), coalesce(sum(bytes), 0) FROM metadata WHERE \(Self.isExpired)", Value(limit),
            Value(scope?.hash))
    }

    /// Deletes up to a batch of the items that expired before `limit`.
    func delete(expiredBefore limit: Timestamp, of scope: ScopeName?) throws -> EntrySum {
        let sizes = try database.all(
            """
            DELETE FROM metadata WHERE id IN (SELECT id FROM metadata WHERE \(Self.isExpired) LIMIT ?3) RETURNING bytes
            """, Value(limit), Value(scope?.hash), Value(IndexConnection.batch)
        ) { $0.int(0) }
        return EntrySum(entries: sizes.count, bytes: sizes.reduce(0, +))
    }

    /// Returns eight bytes of the SHA-256 of a row, which verify the row when it is recovered from a damaged index.
    static func digest(of item: Metadata, in collection: String) -> Int64 {
        let times = "\(item.fetchedAt.milliseconds) \(item.expiresAt.map { "\($0.milliseconds)" } ?? "never")"
        var hash = SHA256()
        for text in [collection, item.name, times] {
            var text = text + "\0"
            text.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
        }
        item.body.withUnsafeBytes { hash.update($0) }
        return hash.finishAsNumber()
    }
}

extension Metadata {
    /// Reads a row of `MetadataTable.columns`.
    init(_ row: Row) {
        self.init(
            name: row.string(0), body: row.bytes(1), fetchedAt: row.timestamp(2), expiresAt: Timestamp?(row, 3))
    }
}
