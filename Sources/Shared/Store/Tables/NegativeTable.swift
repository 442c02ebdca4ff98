import Support

/// Cached failures. Rows are identified by the key's name and the SHA-256 of the address, because a key may have
/// several addresses.
package struct NegativeTable {
    let connection: IndexConnection
    private var database: Database { connection.database }

    /// The number of expired rows deleted per insertion: at least two, so that these rows do not accumulate, but few,
    /// so that an insertion is fast.
    private static let expiredPerInsert = 8

    private static let isOfScope = "(?2 IS NULL OR scope IN \(ScopeTable.live(orAll: "?2")))"

    /// Returns the cached failure of an address, unless it has expired.
    func find(_ name: String, in scope: ScopeName, address: String, now: Timestamp) throws -> NegativeAnswer? {
        let found = try database.first(
            """
            SELECT code, message, exit, since, until FROM negatives
            WHERE scope = \(ScopeTable.live) AND name = ?2 AND address = ?3
            """, Value(scope.hash), Value(name), Value(address)
        ) { row in
            NegativeAnswer(
                code: row.string(0), exitCode: ExitCode(rawValue: Int32(row.int(2))) ?? .unavailable,
                text: row.string(1), since: row.timestamp(3), until: row.timestamp(4))
        }
        return found.flatMap { $0.holds(at: now) ? $0 : nil }
    }

    /// Saves a failure and deletes up to `expiredPerInsert` expired failures.
    package func insert(
        _ answer: NegativeAnswer, _ name: String, in scope: ScopeName, address: String, now: Timestamp
    ) throws {
        try database.run(
            "DELETE FROM negatives WHERE id IN (SELECT id FROM negatives WHERE until <= ?1 LIMIT ?2)", Value(now),
            Value(Self.expiredPerInsert))
        try database.run(
            """
            INSERT OR REPLACE INTO negatives (scope, name, address, code, message, exit, since, until)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """, Value(try connection.scopes.make(scope)), Value(name), Value(address), Value(answer.code),
            Value(answer.text), Value(Int(answer.exitCode.rawValue)), Value(answer.since), Value(answer.until))
    }

    /// Deletes the cached failures of a key.
    func delete(_ name: String, in scopeID: Int64) throws {
        try database.run("DELETE FROM negatives WHERE scope = ?1 AND name = ?2", Value(scopeID), Value(name))
    }

    func count(of scope: ScopeName? = nil) throws -> Int {
        try database.first("SELECT count(*) FROM negatives WHERE \(Self.isOfScope)", nil, Value(scope?.hash)) {
            $0.int(0)
        } ?? 0
    }

    /// Deletes the failures of a scope or of all scopes that expire at `end` or earlier. Returns their number.
    func delete(of scope: ScopeName?, expiringBy end: Timestamp) throws -> Int {
        try database.run(
            "DELETE FROM negatives WHERE until <= ?1 AND \(Self.isOfScope)", Value(end), Value(scope?.hash))
    }
}
