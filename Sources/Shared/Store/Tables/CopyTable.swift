import Support

/// Rows of `copies`. Writing these rows changes no entry.
struct CopyTable {
    let connection: IndexConnection
    private var database: Database { connection.database }

    /// The maximum number of rows. The oldest rows are deleted first; a later run compares their files with the
    /// pictures again.
    static let limit = 1_000_000
    /// The maximum number of rows returned for a picture, far more copies than any picture has.
    private static let limitOfOne = 1000

    static let select = """
        SELECT path, bytes, modified, sha256, details, boot FROM copies
        WHERE scope = \(ScopeTable.live) AND name = ?2 ORDER BY id DESC LIMIT ?3
        """

    func all(of name: String, in scope: ScopeName) throws -> [FileCopy] {
        try database.all(Self.select, Value(scope.hash), Value(name), Value(Self.limitOfOne)) { row in
            FileCopy(
                path: String(pathBytes: row.bytes(0)), bytes: row.int(1), modified: row.int64(2),
                sha256: row.string(3), details: row.string(4), boot: Int64?(row, 5))
        }
    }

    /// Throws `CacheFailure.scopeChanged` if the run uses the current scope and another scope has become current.
    func replace(_ gone: [FileCopy], by copies: [FileCopy], of name: String, in scope: ActiveScope) throws {
        _ = try connection.scopes.generation(of: scope)
        let scopeID = Value(try connection.scopes.make(scope.name))
        for copy in gone {
            try database.run(
                "DELETE FROM copies WHERE scope = ?1 AND name = ?2 AND path = ?3", scopeID, Value(name),
                Value(copy.path.pathBytes))
        }
        for copy in copies {
            try database.run(
                """
                INSERT OR REPLACE INTO copies (scope, name, path, bytes, modified, sha256, details, boot)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                """, scopeID, Value(name), Value(copy.path.pathBytes), Value(copy.bytes), Value(copy.modified),
                Value(copy.sha256), Value(copy.details), copy.boot.value)
        }
        try database.run("DELETE FROM copies WHERE id <= (SELECT max(id) FROM copies) - ?1", Value(Self.limit))
    }

    /// Returns up to a batch of rows of a scope or of all scopes, ordered by `id`.
    func page(after id: Int64, of scope: ScopeName?) throws -> [(id: Int64, path: String)] {
        try database.all(
            """
            SELECT id, path FROM copies WHERE id > ?1 AND scope IN \(ScopeTable.live(orAll: "?3")) ORDER BY id LIMIT ?2
            """, Value(id), Value(IndexConnection.batch), Value(scope?.hash)
        ) { (id: $0.int64(0), path: String(pathBytes: $0.bytes(1))) }
    }

    func delete(_ ids: [Int64]) throws {
        for id in ids { try database.run("DELETE FROM copies WHERE id = ?1", Value(id)) }
    }
}
