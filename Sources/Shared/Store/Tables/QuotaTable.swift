import Support

/// Rate limits and other refusals of servers, shared by all scopes of a root.
///
/// Rows expire after a day, because a server that still refuses requests will repeat its refusal. Rows from the future
/// are invalid, because the clock was set back.
package struct QuotaTable {
    let database: Database

    private static let isValid = "changed_at BETWEEN ?2 - 86400000 AND ?2 + \(Clock.tolerance.milliseconds)"

    package func state(_ name: String, now: Timestamp) throws -> String? {
        try database.first(
            "SELECT state FROM quotas WHERE name = ?1 AND \(Self.isValid)", Value(name), Value(now)
        ) { $0.string(0) }
    }

    /// Saves the state of a server, or deletes its row if `state` is nil.
    package func set(_ name: String, to state: String?, now: Timestamp) throws {
        try database.run("DELETE FROM quotas WHERE name = ?1 OR NOT (\(Self.isValid))", Value(name), Value(now))
        guard let state else { return }
        try database.run(
            "INSERT INTO quotas (name, state, changed_at) VALUES (?1, ?3, ?2)", Value(name), Value(now), Value(state))
    }
}
