import Support

/// How many requests servers still take: rows that all scopes of a root share.
extension Index {
    static let selectQuota = "SELECT state FROM quotas WHERE name = ?1 AND changed_at >= ?2"
    static let writeQuota = """
        INSERT INTO quotas (name, state, changed_at) VALUES (?1, ?2, ?3)
        ON CONFLICT (name) DO UPDATE SET state = ?2, changed_at = ?3
        """
    /// What was written before the clock was set back would never become old.
    static let dropOldQuotas = "DELETE FROM quotas WHERE changed_at < ?1 OR changed_at > ?2"

    /// After this time without a request nothing is known any more; a server that still refuses says so again.
    fileprivate static let quotaMemory: Duration = .seconds(86_400)

    /// Runs `change` on what is kept under a name, nil where that is nothing, and writes what it has made of it; nobody
    /// else changes it meanwhile. Nil from `change` leaves all as it is.
    ///
    /// Most servers count nothing: if nothing is known of one, and `change` leaves it so, that costs one look and takes
    /// no lock. If another process writes the first row in that very moment, `change` runs once more on that.
    package func updateQuota<Result>(
        _ name: String, now: Timestamp, _ change: (String?) -> (state: String?, result: Result)
    ) throws -> Result {
        var first: (state: String, result: Result)?
        if try perform({ try $0.quota(name, now: now) }) == nil {
            let (state, result) = change(nil)
            guard let state else { return result }
            first = (state, result)
        }
        return try write(now: now, isQuiet: true) { connection in
            let known = try connection.quota(name, now: now)
            if known == nil, let first {
                try connection.keep(first.state, name, now: now)
                return first.result
            }
            let (state, result) = change(known)
            if let state, state != known { try connection.keep(state, name, now: now) }
            return result
        }
    }
}

extension Index.Connection {
    fileprivate func quota(_ name: String, now: Timestamp) throws -> String? {
        try database.first(Index.selectQuota, Value(name), Value(now - Index.quotaMemory)) { $0.string(0) }
    }

    /// To be called within a transaction.
    fileprivate func keep(_ state: String, _ name: String, now: Timestamp) throws {
        try database.run(Index.dropOldQuotas, Value(now - Index.quotaMemory), Value(now + Index.quotaMemory))
        try database.run(Index.writeQuota, Value(name), Value(state), Value(now))
    }
}
