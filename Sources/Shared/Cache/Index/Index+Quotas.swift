import HTTP
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

    /// Runs `change` on a quota, a new one where there is none, and writes it where that has changed it; nobody else
    /// changes it meanwhile.
    ///
    /// Most servers count nothing: where nothing is known of one, and `change` leaves it so, that costs one look and
    /// takes no lock. Where another process writes the first row in that very moment, `change` runs once more on that.
    func updateQuota<Result>(
        _ name: String, now: Timestamp, _ change: (inout RequestQuota) -> Result
    ) throws -> Result {
        var first: (quota: RequestQuota, result: Result)?
        if try perform({ try $0.quota(name, now: now) }) == nil {
            var quota = RequestQuota()
            let result = change(&quota)
            if quota == RequestQuota() { return result }
            first = (quota, result)
        }
        return try write(now: now, isQuiet: true) { connection in
            let known = try connection.quota(name, now: now)
            if known == nil, let first {
                try connection.keep(first.quota, name, now: now)
                return first.result
            }
            var quota = known ?? RequestQuota()
            let result = change(&quota)
            if quota != known { try connection.keep(quota, name, now: now) }
            return result
        }
    }
}

extension Index.Connection {
    /// What is known; nil if that is nothing, or cannot be understood.
    fileprivate func quota(_ name: String, now: Timestamp) throws -> RequestQuota? {
        try database.first(Index.selectQuota, Value(name), Value(now - Index.quotaMemory)) { $0.string(0) }
            .flatMap(RequestQuota.init)
    }

    /// To be called within a transaction.
    fileprivate func keep(_ quota: RequestQuota, _ name: String, now: Timestamp) throws {
        try database.run(Index.dropOldQuotas, Value(now - Index.quotaMemory), Value(now + Index.quotaMemory))
        try database.run(Index.writeQuota, Value(name), Value(quota.description), Value(now))
    }
}
