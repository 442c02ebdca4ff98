import Support

extension EntryTable {
    /// `?1` is the row ID of the scope, read in the same transaction.
    static let removeFamily = """
        DELETE FROM entries WHERE scope = ?1 AND (name = ?2 OR parent = ?2)
        RETURNING bytes, file, \(EntryColumn.scopeFolder)
        """
    static let selectCandidates = """
        SELECT \(candidateColumns) FROM entries INDEXED BY entries_by_use
        WHERE pinned = 0 AND last_used <= ?2 AND lease_until <= ?1 ORDER BY last_used LIMIT ?3
        """
    /// Selects entries last used in the future, because the clock was set back. They are trimmed first, because their
    /// true time of last use is unknown. Their leases are ignored, because they could last for years.
    static let selectFutureCandidates = """
        SELECT \(candidateColumns) FROM entries INDEXED BY entries_by_use
        WHERE pinned = 0 AND last_used > ?2 ORDER BY last_used LIMIT ?3
        """
    private static let candidateColumns = """
        id, bytes, scope, (SELECT purged FROM scopes WHERE scopes.id = entries.scope), file, \(EntryColumn.scopeFolder)
        """
    // `?1` is the current time; times after `?2` were recorded before the clock was set back (see `Entry.isExpired` and
    // `Entry.leaseEnd`).
    private static let isFree = "pinned = 0 AND (lease_until <= ?1 OR last_used > ?2)"
    /// Expired or superseded.
    private static let isOver = "(expires_at <= ?1 OR fetched_at > ?2 OR kind = 2)"

    /// Deletes a row that was read in the same transaction. Throws `CacheFailure.indexDamaged` if the row cannot be
    /// found by its ID.
    func delete(_ id: Int64) throws { try database.delete("DELETE FROM entries WHERE id = ?1", Value(id)) }

    /// Removes an entry and its variants. With `sparesPinned`, removes nothing if the entry is pinned. Returns nil if
    /// nothing was removed.
    ///
    /// - Parameter scopeID: the live row of the scope, if any.
    func remove(_ name: String, in scopeID: Int64?, sparesPinned: Bool, now: Timestamp) throws -> EntrySum? {
        guard let scopeID else { return nil }
        if sparesPinned {
            let isPinned = try database.first(
                "SELECT pinned FROM entries WHERE scope = ?1 AND name = ?2", Value(scopeID), Value(name)
            ) { $0.bool(0) }
            if isPinned != false { return nil }
        }
        try connection.deleteNegativesAndCopies(of: name, in: scopeID)
        var removal = EntrySum()
        _ = try database.all(Self.removeFamily, Value(scopeID), Value(name)) { row in
            removal.add(row.int(0))
            if let place = CacheRoot.blob(row.string(1), folder: row.string(2)) {
                connection.forcedRemovals.insert(place)
            }
        }
        if removal.entries == 0 { return nil }
        try connection.counters.add(removal: removal, in: scopeID, now: now)
        return removal
    }

    /// Removes an entry that was found damaged.
    func removeDamaged(_ entry: Entry) throws {
        try delete(entry.id)
        connection.forcedRemovals.insert(entry.place)
    }

    // MARK: Expired entries

    /// Returns up to a batch of expired or superseded entries that are neither pinned nor leased.
    func expired(
        after id: Int64, of scope: ScopeName?, now: Timestamp
    ) throws -> [(id: Int64, bytes: Int, place: String)] {
        try database.all(
            """
            SELECT id, bytes, file, \(EntryColumn.scopeFolder) FROM entries
            WHERE id > ?3 AND \(Self.isFree) AND \(Self.isOver)
                AND (?4 IS NULL OR scope IN \(ScopeTable.live(orAll: "?4"))) ORDER BY id LIMIT ?5
            """, Value(now), Value(now + Clock.tolerance), Value(id), Value(scope?.hash), Value(TrimPlan.batch)
        ) { ($0.int64(0), $0.int(1), CacheRoot.blob($0.string(2), folder: $0.string(3)) ?? "") }
    }

    /// Removes the entries with these IDs that are still expired and neither pinned nor leased.
    func removeExpired(_ ids: [Int64], now: Timestamp) throws -> EntrySum {
        var sum = EntrySum()
        for id in ids {
            let gone = try database.first(
                "DELETE FROM entries WHERE id = ?3 AND \(Self.isFree) AND \(Self.isOver) RETURNING bytes, scope",
                Value(now), Value(now + Clock.tolerance), Value(id)
            ) { (removal: EntrySum(entries: 1, bytes: $0.int(0)), scopeID: $0.int64(1)) }
            guard let gone else { continue }
            sum.add(gone.removal)
            try connection.counters.add(removal: gone.removal, in: gone.scopeID, now: now)
        }
        return sum
    }

    // MARK: Trimming

    /// Deletes the rows of a batch of least recently used entries if the root exceeds `capacity` or, with `isUnderway`,
    /// the target. Returns the remaining bytes, the removal, and whether more entries may be evicted. `Index.sweep`
    /// then removes the files.
    func trimBatch(
        capacity: Int, isUnderway: Bool, now: Timestamp
    ) throws -> (kept: Int, removal: EntrySum, mayContinue: Bool) {
        struct Victim {
            let id: Int64
            /// 0 for a purged entry, which `kept` does not include.
            let bytes: Int
            let scopeID: Int64
            let isPurged: Bool
            let place: String?
        }
        let kept = try connection.totals.kept().bytes
        guard kept > (isUnderway ? TrimPlan.target(capacity: capacity) : capacity) else {
            return (kept, EntrySum(), false)
        }
        var victims: [Victim] = []
        for select in [Self.selectFutureCandidates, Self.selectCandidates] {
            victims += try database.all(
                select, Value(now), Value(now + Clock.tolerance), Value(TrimPlan.batch - victims.count)
            ) { row in
                Victim(
                    id: row.int64(0), bytes: row.bool(3) ? 0 : row.int(1), scopeID: row.int64(2),
                    isPurged: row.bool(3), place: CacheRoot.blob(row.string(4), folder: row.string(5)))
            }
        }
        let leases = try root.leases.live(at: now, in: root)
        let free = try victims.filter { victim in
            guard !victim.isPurged, let end = try victim.place.flatMap(leases.end) else { return true }
            // Record the lease in the row, so that the next trim skips the entry.
            try database.run(
                "UPDATE entries SET lease_until = ?2, last_used = min(last_used, ?3) WHERE id = ?1",
                Value(victim.id), Value(end), Value(now))
            return false
        }
        let count = TrimPlan.count(of: free.map(\.bytes), kept: kept, capacity: capacity)
        var sums: [Int64: EntrySum] = [:]
        for victim in free.prefix(count) {
            try delete(victim.id)
            if !victim.isPurged { sums[victim.scopeID, default: EntrySum()].add(victim.bytes) }
        }
        for (scopeID, sum) in sums {
            try connection.counters.add(.evictions, sum.entries, in: scopeID, now: now)
            try connection.counters.add(.bytesEvicted, sum.bytes, in: scopeID, now: now)
        }
        let removal = sums.values.reduce(into: EntrySum()) { $0.add($1) }
        return (kept - removal.bytes, removal, victims.count == TrimPlan.batch && count == free.count)
    }

    /// Returns the minimum number and bytes of entries that a trim would evict after the removal of `freed` bytes of
    /// expired entries.
    func trimPreview(capacity: Int, freed: Int, now: Timestamp) throws -> EntrySum {
        let kept = try connection.totals.kept().bytes - freed
        guard kept > capacity else { return EntrySum() }
        return try database.sum(
            """
            SELECT count(*), coalesce(sum(bytes), 0) FROM (
                SELECT bytes, sum(bytes) OVER (ORDER BY last_used <= ?2, last_used, id) - bytes AS before FROM entries
                WHERE \(Self.isFree) AND NOT \(Self.isOver)
                    AND (SELECT purged FROM scopes WHERE scopes.id = entries.scope) = 0)
            WHERE before < ?3
            """, Value(now), Value(now + Clock.tolerance), Value(kept - TrimPlan.target(capacity: capacity)))
    }
}
