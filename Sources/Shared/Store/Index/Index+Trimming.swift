import Support

/// Which entries to give up so that the rest fits.
enum TrimPlan {
    struct Candidate: Equatable {
        let id: Int64
        let bytes: Int
    }

    /// Below capacity by a twentieth: a cache that is full would otherwise be trimmed at every store.
    static func target(capacity: Int) -> Int { capacity - capacity / 20 }

    /// After how many entries it is enough to be below the capacity, be the target reached or not: a twentieth of a
    /// million would hold up the run that stores one too many.
    static let headroom = 256

    /// How many entries one transaction gives up: others wait for the write lock meanwhile, and removing a file takes
    /// 10 to 100 µs.
    static let batch = 64

    /// The shortest beginning of `candidates`, least recently used first, that brings `kept` bytes down to the target.
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
    /// The least recently used entries without a lease.
    static let selectCandidates = """
        SELECT \(candidateColumns) FROM entries INDEXED BY entries_by_use
        WHERE pinned = 0 AND last_used <= ?2 AND lease_until <= ?1 ORDER BY last_used LIMIT ?3
        """
    /// The entries that were last used in the future, that is before the clock was set back. They are trimmed first: an
    /// unknown time of use must not outlive a known one. Their leases count as over, as they could hold for years.
    static let selectFutureCandidates = """
        SELECT \(candidateColumns) FROM entries INDEXED BY entries_by_use
        WHERE pinned = 0 AND last_used > ?1 ORDER BY last_used LIMIT ?2
        """
    private static let candidateColumns = """
        id, bytes, scope, (SELECT purged FROM scopes WHERE scopes.id = entries.scope), file,
        (SELECT folder FROM scopes WHERE scopes.id = entries.scope)
        """
    /// Entries and bytes without what has been purged: that makes room by itself, and must not cost others theirs.
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

    /// Removes the files that have lost their rows, now or in a process that was killed, unless they are leased. Within
    /// a transaction, as files are put in place within one, too: what is removed is what was doomed, not what was stored
    /// under the same name just afterwards. Costs one look at an empty table where there is nothing to do.
    func sweep(now: Timestamp) throws {
        var last = (folder: "", file: "")
        while try perform({ try $0.doomed(after: last, limit: 1) }).isEmpty == false {
            last = try write(now: now) { connection in
                let doomed = try connection.doomed(after: last, limit: TrimPlan.batch)
                // After the transaction that took their rows away: see `LeaseTable`.
                let leases = try root.leases.live(at: now, in: root)
                for (folder, file) in doomed {
                    let name = CacheRoot.blob(file, folder: folder)
                    if let name, connection.unspared.remove(name) == nil, try leases.end(of: name) != nil { continue }
                    let count = try connection.database.run(
                        "DELETE FROM doomed WHERE folder = ?1 AND file = ?2", Value(folder), Value(file))
                    // What is found in order, but not by its name, would be found again and again.
                    if count == 0 { throw CacheFailure.indexDamaged(detail: "a row cannot be found", root: root.path) }
                    if let name { root.remove(name) }
                }
                return doomed.last ?? last
            }
        }
    }

    /// Returns whether no process has given the warning of this name within `interval`, and records the warning. Ignores
    /// a later time, from before the clock was set back.
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

    /// How large the root is.
    func rootSize() throws -> RootSize { try perform { try $0.rootSize() } }

    /// Gives up one batch of entries, least recently used first, while more than `capacity` bytes (`isUnderway`: more
    /// than the target below it) are kept. Gives how many bytes are left, what went, and whether there may be more to
    /// give up. The files are doomed by that: `sweep` removes them.
    func trimBatch(
        capacity: Int, isUnderway: Bool, clock: Clock
    ) throws -> (kept: Int, removal: Removal, mayContinue: Bool) {
        struct Victim {
            let candidate: TrimPlan.Candidate
            let scopeID: Int64
            let isPurged: Bool
            let place: String?
        }
        return try write(now: clock.now()) { connection in
            let database = connection.database
            // Others may have committed a lot while this one waited to write: at an earlier time, all that would still
            // be leased.
            let now = clock.now()
            let kept = try database.first(Self.selectTotals) { $0.int(1) } ?? 0
            guard kept > (isUnderway ? TrimPlan.target(capacity: capacity) : capacity) else {
                return (kept, Removal(), false)
            }
            func victim(_ row: Row) -> Victim {
                // One that has been purged goes for nothing: it is not among what is kept.
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
                // Its row does not say so yet: others need not look at it again.
                try database.run(
                    "UPDATE entries SET lease_until = ?2, last_used = min(last_used, ?3) WHERE id = ?1",
                    Value(Int(victim.candidate.id)), Value(end), Value(now))
                return false
            }
            let chosen = TrimPlan.choose(from: free.map(\.candidate), kept: kept, capacity: capacity)
            var sums: [Int64: (entries: Int, bytes: Int)] = [:]
            for victim in free.prefix(chosen.count) {
                let count = try database.run("DELETE FROM entries WHERE id = ?1", Value(Int(victim.candidate.id)))
                if count == 0 { throw CacheFailure.indexDamaged(detail: "a row cannot be found", root: root.path) }
                if victim.isPurged { continue }
                sums[victim.scopeID, default: (0, 0)].entries += 1
                sums[victim.scopeID, default: (0, 0)].bytes += victim.candidate.bytes
            }
            for (scopeID, sum) in sums {
                try connection.count(.evictions, sum.entries, in: scopeID, now: now)
                try connection.count(.bytesEvicted, sum.bytes, in: scopeID, now: now)
            }
            let freed = sums.values.reduce(0) { $0 + $1.bytes }
            let entries = sums.values.reduce(0) { $0 + $1.entries }
            return (
                kept - freed, Removal(entries: entries, bytes: freed),
                victims.count == TrimPlan.batch && chosen.count == free.count
            )
        }
    }
}

/// How large a root is, as far as its index knows.
struct RootSize: Sendable, Equatable {
    /// Bytes of all files that have not been purged.
    var bytes: Int
    /// Whether there are files that have lost their rows and are still to be removed.
    var hasDoomed: Bool
}

extension Index.Connection {
    func rootSize() throws -> RootSize {
        RootSize(
            bytes: try database.first(Index.selectTotals) { $0.int(1) } ?? 0,
            hasDoomed: try !doomed(after: ("", ""), limit: 1).isEmpty)
    }

    fileprivate typealias DoomedFile = (folder: String, file: String)

    fileprivate func doomed(after last: DoomedFile, limit: Int) throws -> [DoomedFile] {
        try database.all(Index.selectDoomed, Value(last.folder), Value(last.file), Value(limit)) {
            ($0.string(0), $0.string(1))
        }
    }
}
