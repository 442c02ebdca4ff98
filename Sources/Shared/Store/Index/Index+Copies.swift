import Support

/// Rows of `copies`. Writing these rows does not change `version`, because no entry changes.
extension Index {
    /// The maximum number of rows. The oldest rows are deleted first; a later run compares their files with the
    /// pictures again.
    static let copyLimit = 1_000_000
    /// The maximum number of rows returned for a picture, far more copies than any picture has.
    private static let copiesOfOne = 1000

    static let selectCopies = """
        SELECT path, bytes, modified, sha256, details, boot FROM copies
        WHERE scope = \(liveScope) AND name = ?2 ORDER BY id DESC LIMIT ?3
        """
    static let keepCopy = """
        INSERT OR REPLACE INTO copies (scope, name, path, bytes, modified, sha256, details, boot)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """
    static let dropCopy = "DELETE FROM copies WHERE scope = ?1 AND name = ?2 AND path = ?3"
    static let dropOldCopies = "DELETE FROM copies WHERE id <= (SELECT max(id) FROM copies) - ?1"
    static let selectCopyPage = """
        SELECT id, path FROM copies WHERE id > ?1 AND scope IN \(liveScopes(named: "?3")) ORDER BY id LIMIT ?2
        """
    static let hasCopies = "SELECT 1 FROM copies WHERE scope = \(liveScope) AND name = ?2 LIMIT 1"
    /// `?1` is the row ID of the scope, read in the same transaction.
    static let dropCopies = "DELETE FROM copies WHERE scope = ?1 AND name = ?2"

    func copies(of name: String, in scope: ScopeName) throws -> [FileCopy] {
        try all(Self.selectCopies, Value(scope.hash), Value(name), Value(Self.copiesOfOne)) { row in
            FileCopy(
                path: String(pathBytes: row.bytes(0)), bytes: row.int(1), modified: row.int64(2),
                sha256: row.string(3), details: row.string(4), boot: Int64?(row, 5))
        }
    }

    /// Throws `CacheFailure.scopeChanged` if the run uses the current scope and another scope has become current.
    func remember(
        _ copies: [FileCopy], forgetting gone: [FileCopy], of name: String, in scope: ActiveScope, now: Timestamp
    ) throws {
        try write(now: now, isQuiet: true) { connection in
            _ = try connection.generation(of: scope)
            let scopeID = try connection.makeScope(scope.name)
            for copy in gone {
                try connection.database.run(Self.dropCopy, Value(scopeID), Value(name), Value(copy.path.pathBytes))
            }
            for copy in copies {
                try connection.database.run(
                    Self.keepCopy, Value(scopeID), Value(name), Value(copy.path.pathBytes), Value(copy.bytes),
                    Value(copy.modified), Value(copy.sha256), Value(copy.details), copy.boot.value)
            }
            try connection.database.run(Self.dropOldCopies, Value(Self.copyLimit))
        }
    }

    /// Returns up to a batch of rows of a scope or of all scopes, ordered by `id`.
    func copies(after id: Int64, of scope: ScopeName?) throws -> [(id: Int64, path: String)] {
        try all(Self.selectCopyPage, Value(id), Value(Self.batch), Value(scope?.text)) {
            (id: $0.int64(0), path: String(pathBytes: $0.bytes(1)))
        }
    }

    func forgetCopies(_ ids: [Int64], now: Timestamp) throws {
        try write(now: now, isQuiet: true) { connection in
            for id in ids { try connection.database.run("DELETE FROM copies WHERE id = ?1", Value(id)) }
        }
    }
}
