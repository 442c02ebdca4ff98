import Support

extension Index {
    /// The least recently used entries that may go. A lease counts as over where "last used" lies a day ahead: it was
    /// written before the clock was set back, and could else hold for years.
    static let selectCandidates = """
        SELECT entries.id, entries.bytes, entries.file, scopes.folder, entries.scope
        FROM entries INDEXED BY entries_by_use JOIN scopes ON scopes.id = entries.scope
        WHERE pinned = 0 AND (lease_until <= ?1 OR last_used > ?2) ORDER BY last_used LIMIT ?3
        """
    static let selectTotal = "SELECT bytes FROM totals WHERE id = 1"
    static let addToCounter = """
        INSERT INTO counters (scope, name, value, since) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (scope, name) DO UPDATE SET value = value + ?3
        """

    /// Bytes of all files of the root, as far as the index knows.
    func totalBytes() throws -> Int {
        try perform { connection in
            try connection.database.first(Self.selectTotal) { $0.int(0) } ?? 0
        }
    }

    /// Gives up one batch of entries, least recently used first, while more than `capacity` bytes (`isUnderway`: more
    /// than the target below it) are kept. Gives how many bytes are left, and whether there may be more to give up.
    /// The files go within the transaction: a file that is stored under the same name right after it is another one.
    func trimBatch(capacity: Int, isUnderway: Bool, now: Timestamp) throws -> (kept: Int, mayContinue: Bool) {
        struct Victim {
            let candidate: TrimPlan.Candidate
            let path: String
            let scopeID: Int64
        }
        return try write(now: now) { connection in
            let database = connection.database
            let kept = try database.first(Self.selectTotal) { $0.int(0) } ?? 0
            guard kept > (isUnderway ? TrimPlan.target(capacity: capacity) : capacity) else { return (kept, false) }
            let victims = try database.all(
                Self.selectCandidates, Value(now), Value(now + .seconds(86_400)), Value(TrimPlan.batch)
            ) { row in
                Victim(
                    candidate: TrimPlan.Candidate(id: row.int64(0), bytes: row.int(1)),
                    path: root.blob(row.string(2), folder: row.string(3)), scopeID: row.int64(4))
            }
            let chosen = TrimPlan.choose(from: victims.map(\.candidate), kept: kept, capacity: capacity)
            var sums: [Int64: (entries: Int, bytes: Int)] = [:]
            for victim in victims.prefix(chosen.count) {
                try database.run("DELETE FROM entries WHERE id = ?1", Value(Int(victim.candidate.id)))
                BlobStore.remove(victim.path)
                sums[victim.scopeID, default: (0, 0)].entries += 1
                sums[victim.scopeID, default: (0, 0)].bytes += victim.candidate.bytes
            }
            for (scopeID, sum) in sums {
                for (counter, amount) in [(Counter.evictions, sum.entries), (.bytesEvicted, sum.bytes)] {
                    try database.run(
                        Self.addToCounter, Value(scopeID), Value(counter.rawValue), Value(amount), Value(now))
                }
            }
            let freed = sums.values.reduce(0) { $0 + $1.bytes }
            return (kept - freed, chosen.count == TrimPlan.batch)
        }
    }
}
