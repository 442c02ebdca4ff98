import Support

extension Index {
    /// The sums and counters of all scopes. The cost grows with the number of scopes, not of entries.
    func statistics(capacity: Int) throws -> Statistics {
        try perform { connection in
            let database = connection.database
            let totals = try database.first(Self.selectTotals) {
                (entries: $0.int(0), bytes: $0.int(1))
            }
            let rows = try database.all("SELECT id, name, entries, bytes FROM scopes WHERE purged = 0 ORDER BY name") {
                (id: $0.int64(0), name: $0.string(1), entries: $0.int(2), bytes: $0.int(3))
            }
            let scopes = try rows.map { row in
                var since: Timestamp?
                var counters: [Counter: Int] = [:]
                var failures: [String: Int] = [:]
                _ = try database.all("SELECT name, value, since FROM counters WHERE scope = ?1", Value(row.id)) {
                    let name = $0.string(0)
                    since = min(since ?? $0.timestamp(2), $0.timestamp(2))
                    if let counter = Counter(rawValue: name) {
                        counters[counter] = $0.int(1)
                    } else if name.hasPrefix(Tally.failurePrefix) {
                        failures[String(name.dropFirst(Tally.failurePrefix.count))] = $0.int(1)
                    }
                }
                return Statistics.Scope(
                    name: row.name, entries: row.entries, bytes: row.bytes, since: since, counters: counters,
                    failures: failures)
            }
            return Statistics(
                entries: totals?.entries ?? 0, bytes: totals?.bytes ?? 0, capacity: capacity, scopes: scopes)
        }
    }

    /// Writes what has been counted and not been written yet.
    func flush(now: Timestamp) throws {
        if pendingEvents > 0 { try write(now: now) { _ in } }
    }
}

extension Index.Connection {
    /// Adds the counts to those in the index. To be called within a transaction.
    func writeTally(scope: ScopeName, now: Timestamp) throws {
        guard !tally.isEmpty else { return }
        let scopeID = try makeScope(scope)
        for (name, amount) in tally.counts {
            try database.run(Index.addToCounter, Value(scopeID), Value(name), Value(amount), Value(now))
        }
    }
}
