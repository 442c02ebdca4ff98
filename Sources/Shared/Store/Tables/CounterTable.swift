import Support

/// The counters of all scopes, and the statistics that contain them.
struct CounterTable {
    let connection: IndexConnection
    private var database: Database { connection.database }

    static let add = """
        INSERT INTO counters (scope, name, value, since) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (scope, name) DO UPDATE SET value = value + ?3
        """
    /// A counter with the value zero, whose `since` is the time of the last reset.
    private static let zeroed = "zeroed"

    /// Reads only the SQL index `entries_by_use`, which contains all columns of the query, in about 0.3 µs per entry.
    /// While purged entries exist, also reads the table to exclude them.
    private static let selectHeld = """
        SELECT COUNT(*), SUM(bytes), SUM(lease_until > ?1 AND last_used <= ?2),
            SUM(CASE WHEN lease_until > ?1 AND last_used <= ?2 THEN bytes ELSE 0 END)
        FROM entries INDEXED BY entries_by_use WHERE pinned = 0 AND (
            NOT EXISTS (SELECT 1 FROM scopes WHERE purged = 1)
            OR scope NOT IN (SELECT id FROM scopes WHERE purged = 1))
        """

    /// Adds to a counter of the scope with this row ID.
    func add(_ counter: Counter, _ amount: Int, in scopeID: Int64, now: Timestamp) throws {
        try add(counter.rawValue, amount, in: scopeID, now: now)
    }

    /// Counts entries that a command removed.
    func add(removal: EntrySum, in scopeID: Int64, now: Timestamp) throws {
        try add(.removed, removal.entries, in: scopeID, now: now)
        try add(.bytesRemoved, removal.bytes, in: scopeID, now: now)
    }

    func add(_ tallies: Tallies, now: Timestamp) throws {
        for (scope, tally) in tallies.all {
            let scopeID = try connection.scopes.make(scope)
            for (name, amount) in tally.counts { try add(name, amount, in: scopeID, now: now) }
        }
    }

    private func add(_ name: String, _ amount: Int, in scopeID: Int64, now: Timestamp) throws {
        try database.run(Self.add, Value(scopeID), Value(name), Value(amount), Value(now))
    }

    /// Resets the counters of a scope or of all scopes, and records the time.
    func zero(scope: ScopeName?, now: Timestamp) throws {
        for row in try connection.scopes.rows(of: scope) {
            try database.run("DELETE FROM counters WHERE scope = ?1", Value(row.id))
            try add(Self.zeroed, 0, in: row.id, now: now)
        }
    }

    // MARK: Statistics

    func statistics(scope: ScopeName?, capacity: Int, now: Timestamp) throws -> Statistics {
        let all = try connection.totals.kept()
        // An entry whose last use is in the future is not leased, as in trimming.
        let held = try database.first(Self.selectHeld, Value(now), Value(now + Clock.tolerance)) {
            (free: $0.sum(at: 0), leased: $0.sum(at: 2))
        }
        let free = held?.free ?? EntrySum()
        let metadata = try connection.metadata.sums()
        // Only variants and superseded entries have a parent.
        let variants = try Dictionary(
            uniqueKeysWithValues: database.all(
                "SELECT scope, count(*) FROM entries WHERE parent IS NOT NULL AND kind = 1 GROUP BY scope"
            ) { ($0.int64(0), $0.int(1)) })
        var rows = try connection.scopes.rows(of: scope)
        if let scope, rows.isEmpty { rows = [ScopeRow(id: 0, name: scope, folder: "", contents: EntrySum())] }
        let scopes = try rows.map { row in
            try statistics(of: row, variants: variants[row.id] ?? 0, metadata: metadata[row.id])
        }
        return Statistics(
            entries: all.entries, variants: variants.values.reduce(0, +), bytes: all.bytes, capacity: capacity,
            pinned: EntrySum(entries: all.entries - free.entries, bytes: all.bytes - free.bytes),
            leased: held?.leased ?? EntrySum(), metadata: metadata.values.reduce(into: EntrySum()) { $0.add($1) },
            scopes: scopes)
    }

    private func statistics(of row: ScopeRow, variants: Int, metadata: EntrySum?) throws -> Statistics.Scope {
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
            name: row.name.text, entries: row.contents.entries, variants: variants, bytes: row.contents.bytes,
            metadata: metadata ?? EntrySum(), since: since, counters: counters, failures: failures)
    }
}
