import Support

/// Decides which entries to evict.
enum TrimPlan {
    struct Candidate: Equatable {
        let id: Int64
        let bytes: Int
    }

    /// Returns 95 % of the capacity. With a target of 100 %, every store into a full cache would trigger a trim.
    static func target(capacity: Int) -> Int { capacity - capacity / 20 }

    /// After this number of evictions, trimming may stop above the target if the root is below the capacity. Evicting a
    /// twentieth of a million entries would delay the run.
    static let headroom = 256

    /// The number of evictions per transaction, during which other processes wait for the write lock. Removing a file
    /// takes 10 to 100 µs.
    static let batch = 64

    /// Returns the shortest prefix of `candidates`, least recently used first, that reduces `kept` bytes to the target.
    static func choose(from candidates: [Candidate], kept: Int, capacity: Int) -> [Candidate] {
        var excess = kept - target(capacity: capacity)
        return Array(
            candidates.prefix { candidate in
                defer { excess -= candidate.bytes }
                return excess > 0
            })
    }
}

extension Index {
    static let selectRootState = """
        SELECT bytes, EXISTS (SELECT 1 FROM doomed WHERE folder >= ''), EXISTS (SELECT 1 FROM scopes WHERE purged = 1)
        FROM totals WHERE id = 1
        """
    static let selectCandidates = """
        SELECT \(candidateColumns) FROM entries INDEXED BY entries_by_use
        WHERE pinned = 0 AND last_used <= ?2 AND lease_until <= ?1 ORDER BY last_used LIMIT ?3
        """
    /// Selects entries last used in the future, because the clock was set back. They are trimmed first, because their
    /// true time of last use is unknown. Their leases are ignored, because they could last for years.
    static let selectFutureCandidates = """
        SELECT \(candidateColumns) FROM entries INDEXED BY entries_by_use
        WHERE pinned = 0 AND last_used > ?1 ORDER BY last_used LIMIT ?2
        """
    private static let candidateColumns = """
        id, bytes, scope, (SELECT purged FROM scopes WHERE scopes.id = entries.scope), file,
        (SELECT folder FROM scopes WHERE scopes.id = entries.scope)
        """
    /// The number and bytes of all entries except purged entries, which will be removed anyway and must not cause
    /// evictions.
    static let selectTotals = """
        SELECT entries - (SELECT coalesce(sum(entries), 0) FROM scopes WHERE purged = 1),
            bytes - (SELECT coalesce(sum(bytes), 0) FROM scopes WHERE purged = 1)
        FROM totals WHERE id = 1
        """
    static let addToCounter = """
        INSERT INTO counters (scope, name, value, since) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (scope, name) DO UPDATE SET value = value + ?3
        """

    static let selectDoomed = """
        SELECT folder, file FROM doomed WHERE (folder, file) > (?1, ?2) ORDER BY folder, file LIMIT ?3
        """

    /// Removes the unleased files whose rows were deleted, including rows deleted by processes that were killed since.
    /// Runs in write transactions, like the rename of stored files, so it cannot remove a file that was just stored
    /// under the same name. If there is nothing to remove, costs one query of an empty table.
    func sweep(now: Timestamp) throws {
        var last = (folder: "", file: "")
        while try perform({ try $0.doomed(after: last, limit: 1) }).isEmpty == false {
            last = try write(now: now) { connection in
                let doomed = try connection.doomed(after: last, limit: TrimPlan.batch)
                // Read the leases after the transaction that deleted the rows, see `LeaseTable`.
                let leases = try root.leases.live(at: now, in: root)
                for (folder, file) in doomed {
                    let name = CacheRoot.blob(file, folder: folder)
                    if let name, connection.unspared.remove(name) == nil, try leases.end(of: name) != nil { continue }
                    let count = try connection.database.run(
                        "DELETE FROM doomed WHERE folder = ?1 AND file = ?2", Value(folder), Value(file))
                    // If a damaged index returned a row to a scan but not to a lookup by key, this loop would never
                    // end.
                    if count == 0 { throw CacheFailure.indexDamaged(detail: "a row cannot be found", root: root.path) }
                    if let name { root.remove(name) }
                }
                return doomed.last ?? last
            }
        }
    }

    /// Returns true and records the time, unless a process has given this warning within `interval`. Ignores a recorded
    /// time in the future, because the clock was set back.
    func mayWarn(_ name: String, now: Timestamp, interval: Duration) throws -> Bool {
        try write(now: now, isQuiet: true) { connection in
            let last = try connection.database.first("SELECT value FROM settings WHERE name = ?1", Value(name)) {
                Int64($0.string(0)).map(Timestamp.init(milliseconds:))
            }
            if let last = last ?? nil, last <= now, now - last < interval { return false }
            try connection.database.run(
                "INSERT OR REPLACE INTO settings (name, value) VALUES (?1, ?2)", Value(name),
                Value(String(now.milliseconds)))
            return true
        }
    }

    func rootState() throws -> RootState { try perform { try $0.rootState() } }

    /// The bytes of all entries except purged entries.
    func keptBytes() throws -> Int { try perform { try $0.keptBytes() } }

    /// Deletes the rows of a batch of least recently used entries if the root exceeds `capacity` or, with `isUnderway`,
    /// the target. Returns the remaining bytes, the removal, and whether more entries may be evicted. `sweep` then
    /// removes the files.
    func trimBatch(
        capacity: Int, isUnderway: Bool, clock: Clock
    ) throws -> (kept: Int, removal: EntrySum, mayContinue: Bool) {
        struct Victim {
            let candidate: TrimPlan.Candidate
            let scopeID: Int64
            let isPurged: Bool
            let place: String?
        }
        return try write(now: clock.now()) { connection in
            let database = connection.database
            // Read the clock after the wait for the write lock, which may be long. With a lease of 0, `lease_until` is
            // the time of storing. Compared with a time before the wait, entries stored during it would seem leased.
            let now = clock.now()
            let kept = try connection.keptBytes()
            guard kept > (isUnderway ? TrimPlan.target(capacity: capacity) : capacity) else {
                return (kept, EntrySum(), false)
            }
            func victim(_ row: Row) -> Victim {
                // `kept` does not include purged entries.
                Victim(
                    candidate: TrimPlan.Candidate(id: row.int64(0), bytes: row.bool(3) ? 0 : row.int(1)),
                    scopeID: row.int64(2), isPurged: row.bool(3),
                    place: CacheRoot.blob(row.string(4), folder: row.string(5)))
            }
            let present = now + Clock.tolerance
            var victims = try database.all(
                Self.selectFutureCandidates, Value(present), Value(TrimPlan.batch), read: victim)
            victims += try database.all(
                Self.selectCandidates, Value(now), Value(present), Value(TrimPlan.batch - victims.count), read: victim)
            let leases = try root.leases.live(at: now, in: root)
            let free = try victims.filter { victim in
                guard !victim.isPurged, let end = try victim.place.flatMap(leases.end) else { return true }
                // Record the lease in the row, so that the next trim skips the entry.
                try database.run(
                    "UPDATE entries SET lease_until = ?2, last_used = min(last_used, ?3) WHERE id = ?1",
                    Value(Int(victim.candidate.id)), Value(end), Value(now))
                return false
            }
            let chosen = TrimPlan.choose(from: free.map(\.candidate), kept: kept, capacity: capacity)
            var sums: [Int64: EntrySum] = [:]
            for victim in free.prefix(chosen.count) {
                let count = try database.run("DELETE FROM entries WHERE id = ?1", Value(Int(victim.candidate.id)))
                if count == 0 { throw CacheFailure.indexDamaged(detail: "a row cannot be found", root: root.path) }
                if !victim.isPurged { sums[victim.scopeID, default: EntrySum()].add(victim.candidate.bytes) }
            }
            for (scopeID, sum) in sums {
                try connection.count(.evictions, sum.entries, in: scopeID, now: now)
                try connection.count(.bytesEvicted, sum.bytes, in: scopeID, now: now)
            }
            let removal = sums.values.reduce(into: EntrySum()) { $0.add($1) }
            return (
                kept - removal.bytes, removal, victims.count == TrimPlan.batch && chosen.count == free.count
            )
        }
    }
}

/// The state of a root that a run checks when it ends, read by a single query.
struct RootState: Sendable, Equatable {
    /// The bytes of all entries, including purged entries.
    var bytes = 0
    /// Whether files still exist although their rows were deleted.
    var hasDoomed = false
    /// Whether purged rows still exist.
    var isPurgePending = false
}

extension Index.Connection {
    func rootState() throws -> RootState {
        try database.first(Index.selectRootState) {
            RootState(bytes: $0.int(0), hasDoomed: $0.bool(1), isPurgePending: $0.bool(2))
        } ?? RootState()
    }

    func keptBytes() throws -> Int { try database.first(Index.selectTotals) { $0.int(1) } ?? 0 }

    fileprivate typealias DoomedFile = (folder: String, file: String)

    fileprivate func doomed(after last: DoomedFile, limit: Int) throws -> [DoomedFile] {
        try database.all(Index.selectDoomed, Value(last.folder), Value(last.file), Value(limit)) {
            ($0.string(0), $0.string(1))
        }
    }
}

/// The bytes that this process has stored in a root, and the size of the root if it exceeded its capacity.
struct CacheDemand: Equatable {
    /// The bytes of all files that were stored.
    var stored = 0
    /// The maximum size of the root, with the files of all processes, when it exceeded the capacity; else 0.
    var kept = 0

    /// The reason why a run exceeded the capacity.
    enum Excess: Equatable {
        /// The run stored more than the capacity.
        case stored(Int)
        /// Files in use could not be trimmed.
        case kept(Int)

        func message(capacity: Int, isInMemory: Bool) -> String {
            let limit = ByteCount.description(capacity)
            let (fact, bytes) =
                switch self {
                case .stored(let bytes):
                    (
                        "this run stored \(ByteCount.description(bytes)), more than the capacity of \(limit), so some"
                            + " pictures will be removed", bytes
                    )
                case .kept(let bytes):
                    (
                        "the cache grew to \(ByteCount.description(bytes)), more than its capacity of \(limit), because"
                            + " files were in use", bytes
                    )
                }
            let remedy = isInMemory ? "memory_capacity" : "--capacity"
            return "\(fact); use \(remedy) \(Self.enough(for: bytes)) or more"
        }

        /// Returns the size plus 10 %, rounded up to two significant digits, in the syntax of options.
        static func enough(for bytes: Int) -> String {
            let wanted = Double(bytes) * 1.1 / 1e6
            var step = 1.0
            while wanted / step > 100 { step *= 10 }
            return "\(Int((wanted / step).rounded(.up) * step))MB"
        }
    }

    func excess(over capacity: Int) -> Excess? {
        if stored > capacity, stored >= kept { return .stored(stored) }
        return kept > capacity ? .kept(kept) : nil
    }
}
