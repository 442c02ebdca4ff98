import Support

/// Refusals of servers, in rows that all scopes of a root share.
extension Index {
    static let selectQuota = "SELECT state FROM quotas WHERE name = ?1 AND changed_at BETWEEN ?2 AND ?3"
    static let writeQuota = "INSERT INTO quotas (name, state, changed_at) VALUES (?1, ?2, ?3)"
    static let dropQuotas = "DELETE FROM quotas WHERE name = ?1 OR changed_at NOT BETWEEN ?2 AND ?3"

    /// A row counts for a day, as a server that still refuses repeats it, and not if its date is in the future, as the
    /// clock was set back since.
    private static func bounds(_ now: Timestamp) -> (oldest: Value, newest: Value) {
        (Value(now - .seconds(86_400)), Value(now + Clock.tolerance))
    }

    /// The state that was kept under a name; nil for none.
    package func quota(_ name: String, now: Timestamp) throws -> String? {
        let bounds = Self.bounds(now)
        return try perform {
            try $0.database.first(Self.selectQuota, Value(name), bounds.oldest, bounds.newest) { $0.string(0) }
        }
    }

    /// Replaces the state under a name; nil removes it.
    package func keepQuota(_ state: String?, _ name: String, now: Timestamp) throws {
        let bounds = Self.bounds(now)
        try write(now: now, isQuiet: true) { connection in
            try connection.database.run(Self.dropQuotas, Value(name), bounds.oldest, bounds.newest)
            if let state { try connection.database.run(Self.writeQuota, Value(name), Value(state), Value(now)) }
        }
    }
}
