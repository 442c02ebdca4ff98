import Support

/// Maintenance, scope by scope. Transactions are short: each changes one batch of rows, or one row and its file.
extension Index {
    /// A row of `scopes`.
    struct ScopeRow: Sendable, Equatable {
        let id: Int64
        let name: ScopeName
        /// The scope's folder below `scopes/`.
        let folder: String
    }

    static let selectScopes = "SELECT id, name, folder FROM scopes WHERE purged = 0 ORDER BY name, id"
    static let selectScope = "SELECT id, name, folder FROM scopes WHERE folder = ?1"
    static let selectAnyPage =
        "SELECT \(EntryColumn.selection) FROM entries WHERE scope = \(liveFolder) AND name > ?2 ORDER BY name LIMIT ?3"
    static let selectInFolder = "SELECT \(EntryColumn.selection) FROM entries WHERE scope = \(liveFolder) AND name = ?2"
    /// In the row of a superseded entry, `name` is the file name.
    static let selectOwner = "SELECT 1 FROM entries WHERE scope = ?1 AND name IN (?2, ?3) AND file = ?3 LIMIT 1"
    static let setPinned = "UPDATE entries SET pinned = ?4 \(sameEntry) RETURNING \(EntryColumn.selection)"
    static let setKey = "UPDATE entries SET key = ?4 \(sameEntry) AND key IS NULL RETURNING \(EntryColumn.selection)"
    static let selectVariants =
        "SELECT \(EntryColumn.selection) FROM entries WHERE scope = \(liveScope) AND parent = ?2 AND kind = 1 "
        + "ORDER BY width, name"
    static let removeFamilyForSum =
        removeFamily + " RETURNING bytes, file, (SELECT folder FROM scopes WHERE scopes.id = entries.scope)"
    static let selectExpired = """
        SELECT id, bytes, file, (SELECT folder FROM scopes WHERE scopes.id = entries.scope) FROM entries
        WHERE id > ?1 AND \(isSpent) AND (?5 IS NULL OR scope IN \(liveScopes(named: "?5"))) ORDER BY id LIMIT ?4
        """
    static let removeExpired = "DELETE FROM entries WHERE id = ?1 AND \(isSpent) RETURNING bytes, scope"
    /// Expired or superseded, neither pinned nor leased. `?2` is the current time; times after `?3` were recorded
    /// before the clock was set back (see `Entry.isExpired` and `Entry.leaseEnd`).
    private static let isSpent = """
        pinned = 0 AND (expires_at <= ?2 OR fetched_at > ?3 OR kind = 2) AND (lease_until <= ?2 OR last_used > ?3)
        """

    /// The number of rows per transaction or page. A transaction of this size takes some milliseconds, during which
    /// other writers wait.
    static let batch = 256

    // MARK: Reading

    func scopeRows() throws -> [ScopeRow] {
        try all(Self.selectScopes, read: Self.scopeRow)
    }

    private static func scopeRow(_ row: Row) throws -> ScopeRow {
        ScopeRow(id: row.int64(0), name: try ScopeName(row.string(1)), folder: row.string(2))
    }

    /// Returns up to a batch of a scope's entries after `name`, including superseded entries.
    func page(of scope: ScopeRow, after name: String) throws -> [Entry] {
        try all(Self.selectAnyPage, Value(scope.folder), Value(name), Value(Self.batch)) {
            entry($0, scope: scope.name)
        }
    }

    func variants(of entry: Entry) throws -> [Entry] {
        try all(Self.selectVariants, Value(entry.scope.hash), Value(entry.name)) {
            self.entry($0, scope: entry.scope)
        }
    }

    /// Returns the names in `files` that have no row.
    func filesWithoutRow(_ files: [String], folder: String) throws -> [String] {
        try perform { connection in
            let scope = try connection.database.first(Self.selectScope, Value(folder), read: Self.scopeRow)
            guard let scope else { return files }
            return try files.filter { try !connection.hasRow($0, in: scope.id) }
        }
    }

    /// Returns unleased files that still exist although their rows were deleted.
    func doomedFiles(now: Timestamp) throws -> [String] {
        let leases = try root.leases.live(at: now, in: root)
        return try all("SELECT folder, file FROM doomed LIMIT 1000") {
            CacheRoot.blob($0.string(1), folder: $0.string(0))
        }.compactMap(\.self).filter { try leases.end(of: $0) == nil }
    }

    // MARK: Changing single rows

    /// Pins or unpins an entry. Syncs a pin to the disk. Returns nil if the entry no longer exists.
    ///
    /// - Parameter note: records the pin in the entry's file. Runs within the transaction, so that row and file agree
    ///   even if two processes change the pin.
    func setPinned(_ entry: Entry, _ isPinned: Bool, now: Timestamp, note: (Entry) throws -> Void) throws -> Entry? {
        let changed = try write(now: now) { connection in
            let changed = try connection.database.first(
                Self.setPinned, Value(entry.scope.hash), Value(entry.name), Value(entry.id), Value(isPinned)
            ) { self.entry($0, scope: entry.scope) }
            if let changed { try note(changed) }
            return changed
        }
        if isPinned { try synchronize() }
        return changed
    }

    /// Sets the key of an entry that has none, because its row was recovered from its file.
    func setKey(_ entry: Entry, _ key: String, now: Timestamp) throws -> Entry {
        try write(now: now) { connection in
            try connection.database.first(
                Self.setKey, Value(entry.scope.hash), Value(entry.name), Value(entry.id), Value(key)
            ) { self.entry($0, scope: entry.scope) } ?? entry
        }
    }

    /// Moves an original and its variants to another key, and replaces the secrets in its address. Returns the row of
    /// the new key, which another process may have stored, or nil if the original no longer exists.
    ///
    /// The file gets a second name derived from the new key, so that it can be recovered without the index. The old
    /// path remains while it is leased.
    ///
    /// - Parameter link: creates the second name of the file. Returns false if that is impossible; the entry then keeps
    ///   its key.
    func move(
        _ name: String, in scope: ScopeName, to key: CacheKey, now: Timestamp,
        link: (_ old: Entry, _ new: Entry) throws -> Bool
    ) throws -> Entry? {
        try write(now: now) { connection in
            if let found = try connection.find(key.name, in: scope) { return found }
            guard let old = try connection.find(name, in: scope) else { return nil }
            let scopeID = try connection.makeScope(scope)
            var new = old
            new.name = key.name
            new.key = key.text
            new.url = old.url.map { AddressSecrets.replacing(in: $0) { _ in AddressSecrets.mark } }
            new.file = try CacheRoot.blobName(
                key.name, isVariant: false, sha256: old.sha256, fileExtension: old.fileExtension)
            // A power failure may lose the new name.
            new.boot = try root.boot
            if try connection.hasRow(new.file, in: scopeID) { new.file = CacheRoot.otherBlobName(new.file) }
            guard try link(old, new) else { return old }
            try connection.end(old, replacedBy: new.name, now: now)
            try connection.database.run(
                "UPDATE entries SET parent = ?3 WHERE scope = ?1 AND parent = ?2", Value(scopeID), Value(name),
                Value(new.name))
            return try connection.insert(new, scopeID)
        }
    }

    /// Removes an entry and its variants. With `sparesPinned`, removes nothing if the entry is pinned. Returns nil if
    /// nothing was removed.
    ///
    /// - Parameter row: the row of the scope. If given, the row's folder identifies the scope instead of its name.
    func remove(
        _ name: String, in scope: ScopeName, _ row: ScopeRow? = nil, sparesPinned: Bool, now: Timestamp
    ) throws -> EntrySum? {
        try write(now: now) { connection in
            let id = try row.map { try connection.liveRow(folder: $0.folder) } ?? connection.live(scope).id
            guard let scopeID = id else { return nil }
            if sparesPinned {
                let isPinned = try connection.database.first(
                    "SELECT pinned FROM entries WHERE scope = ?1 AND name = ?2", Value(scopeID), Value(name)
                ) { $0.bool(0) }
                if isPinned != false { return nil }
            }
            try connection.database.run(Self.dropNegatives, Value(scopeID), Value(name))
            try connection.database.run(Self.dropCopies, Value(scopeID), Value(name))
            let family = try connection.database.all(Self.removeFamilyForSum, Value(scopeID), Value(name)) {
                (bytes: $0.int(0), place: CacheRoot.blob($0.string(1), folder: $0.string(2)))
            }
            if family.isEmpty { return nil }
            connection.unspared.formUnion(family.compactMap(\.place))
            let removal = EntrySum(entries: family.count, bytes: family.reduce(0) { $0 + $1.bytes })
            try connection.count(removal, in: scopeID, now: now)
            return removal
        }
    }

    /// Reads a row again in a write transaction and calls `isWrong`. Returns the row if the result is true; with
    /// `drops`, also removes the row.
    func recheck(
        _ name: String, in scope: ScopeRow, drops: Bool, now: Timestamp, isWrong: (Entry) throws -> Bool
    ) throws -> Entry? {
        func look(_ connection: inout Connection) throws -> Entry? {
            let found = try connection.database.first(Self.selectInFolder, Value(scope.folder), Value(name)) {
                entry($0, scope: scope.name)
            }
            guard let found, try isWrong(found) else { return nil }
            if drops {
                try connection.database.run("DELETE FROM entries WHERE id = ?1", Value(found.id))
                connection.unspared.insert(found.place)
                try connection.count(.healed, 1, in: scope.id, now: now)
            }
            return found
        }
        return try isReadOnly ? perform(look) : write(now: now, look)
    }

    // MARK: Files without rows

    /// Whether files may lack rows. This is the case if the index was lost, or if the machine was restarted since the
    /// last rebuild, because a power failure may lose the last transactions. Remains true until `Recovery.rebuild` has
    /// finished.
    func mayLackRows(now: Timestamp) throws -> Bool {
        if !isReadOnly, withConnection({ !$0.hasComparedBoot }) {
            try compareBoot(now: now)
            withConnection { $0.hasComparedBoot = true }
        }
        return try perform { try $0.mayLackRows() }
    }

    /// Schedules a rebuild in the first run after a restart of the machine.
    private func compareBoot(now: Timestamp) throws {
        let known = try first("SELECT value FROM settings WHERE name = 'boot'") { Int64($0.string(0)) }
        if known == CacheRoot.machineBoot { return }
        try write(now: now, isQuiet: true) { connection in
            try Schema.noteBoot(in: connection.database)
            try connection.database.run("INSERT OR REPLACE INTO settings (name, value) VALUES ('rebuilt', '')")
        }
    }

    /// The last folder completed by an unfinished rebuild; empty if there is none.
    func rebuiltFolder() throws -> String {
        try first("SELECT value FROM settings WHERE name = 'rebuilt'") { $0.string(0) } ?? ""
    }

    /// Records the last folder completed by a rebuild; nil if the whole rebuild is finished.
    func setRebuiltFolder(_ folder: String?, now: Timestamp) throws {
        try write(now: now, isQuiet: true) { connection in
            guard let folder else {
                try connection.database.run("DELETE FROM settings WHERE name = 'rebuilt'")
                return
            }
            try connection.database.run(
                "INSERT OR REPLACE INTO settings (name, value) VALUES ('rebuilt', ?1)", Value(folder))
        }
    }

    /// Inserts a row for a file that has none. Replaces a row of the same name if its file is missing or has another
    /// size. Returns nil if `isThere` returns false, or if the file or the name has a valid row by now.
    func recover(
        _ new: Entry, folder: String, name: ScopeName, now: Timestamp, isThere: () throws -> Bool
    ) throws -> Entry? {
        try write(now: now) { connection in
            let database = connection.database
            guard let scopeID = try connection.rowForRecovery(folder: folder, name: name), try isThere() else {
                return nil
            }
            let old = try database.first(Self.selectInFolder, Value(folder), Value(new.name)) { entry($0, scope: name) }
            if let old {
                if try root.isWhole(old) { return nil }
                try database.run("DELETE FROM entries WHERE id = ?1", Value(old.id))
            }
            if new.kind == .superseded, try connection.hasRow(new.file, in: scopeID) { return nil }
            try connection.count(.healed, 1, in: scopeID, now: now)
            return try connection.insert(new, scopeID)
        }
    }

    /// Calls `remove` for each file that still has no row. No file gets a row during the transaction.
    func withFilesWithoutRow(
        _ files: [String], folder: String, now: Timestamp, remove: (String) throws -> Void
    ) throws {
        try write(now: now) { connection in
            let scope = try connection.database.first(Self.selectScope, Value(folder), read: Self.scopeRow)
            for file in files {
                if let scope, try connection.hasRow(file, in: scope.id) { continue }
                try remove(file)
            }
        }
    }

    /// Runs `body` in a write transaction, during which no process can rename a file into place.
    func whileNothingIsPlaced(now: Timestamp, _ body: () -> Void) throws { try write(now: now) { _ in body() } }

    // MARK: Expired entries

    /// Returns up to a batch of expired or superseded entries that are neither pinned nor leased.
    func expired(
        after id: Int64, of scope: ScopeName?, now: Timestamp
    ) throws -> [(id: Int64, bytes: Int, place: String)] {
        try all(
            Self.selectExpired, Value(id), Value(now), Value(now + Clock.tolerance), Value(TrimPlan.batch),
            Value(scope?.text)
        ) { ($0.int64(0), $0.int(1), CacheRoot.blob($0.string(2), folder: $0.string(3)) ?? "") }
    }

    func removeExpired(_ ids: [Int64], now: Timestamp) throws -> EntrySum {
        try write(now: now) { connection in
            var removal = EntrySum()
            for id in ids {
                let gone = try connection.database.first(
                    Self.removeExpired, Value(id), Value(now), Value(now + Clock.tolerance)
                ) { (bytes: $0.int(0), scopeID: $0.int64(1)) }
                guard let gone else { continue }
                removal.add(gone.bytes)
                try connection.count(EntrySum(entries: 1, bytes: gone.bytes), in: gone.scopeID, now: now)
            }
            return removal
        }
    }

    /// Returns the minimum number and bytes of entries that a trim would evict after the removal of `freed` bytes.
    func trimPreview(capacity: Int, freed: Int, now: Timestamp) throws -> EntrySum {
        try perform { connection in
            let kept = try connection.keptBytes() - freed
            guard kept > capacity else { return EntrySum() }
            return try connection.database.first(
                """
                SELECT count(*), coalesce(sum(bytes), 0) FROM (
                    SELECT bytes, sum(bytes) OVER (ORDER BY last_used <= ?2, last_used, id) - bytes AS before FROM entries
                    WHERE pinned = 0 AND (lease_until <= ?1 OR last_used > ?2) AND NOT
                        (expires_at <= ?1 OR fetched_at > ?2 OR kind = 2)
                        AND (SELECT purged FROM scopes WHERE scopes.id = entries.scope) = 0)
                WHERE before < ?3
                """, Value(now), Value(now + Clock.tolerance),
                Value(kept - TrimPlan.target(capacity: capacity))
            ) { EntrySum(entries: $0.int(0), bytes: $0.int(1)) } ?? EntrySum()
        }
    }

    // MARK: Sums

    /// Whether the sums maintained by triggers match the rows. Reads every row, in a single snapshot.
    func sumsAreRight() throws -> Bool { try perform { try $0.sumsAreRight() } }

    /// Recomputes the sums if they do not match the rows.
    func repairSums(now: Timestamp) throws {
        try write(now: now) { connection in
            if try connection.sumsAreRight() { return }
            try connection.database.execute(
                """
                UPDATE totals SET entries = (SELECT count(*) FROM entries),
                    bytes = (SELECT coalesce(sum(bytes), 0) FROM entries);
                UPDATE scopes SET entries = (SELECT count(*) FROM entries WHERE scope = scopes.id),
                    bytes = (SELECT coalesce(sum(bytes), 0) FROM entries WHERE scope = scopes.id);
                """)
        }
    }
}

extension Index.Connection {
    func mayLackRows() throws -> Bool {
        try root.awaitsRebuild
            || database.has("SELECT 1 FROM settings WHERE name = 'rebuilt'")
    }

    /// Returns the live row of a folder's generation. Creates the row if the scope is unknown. Returns nil if the
    /// generation was purged.
    func rowForRecovery(folder: String, name: ScopeName) throws -> Int64? {
        if let row = try liveRow(folder: folder) { return row }
        let hash = String(folder.prefix(32))
        let isKnown = try database.has(
            "SELECT 1 FROM scopes WHERE folder = ?1 OR substr(folder, 1, 32) = ?2 AND purged = 0", Value(folder),
            Value(hash))
        guard !isKnown, let generation = CacheRoot.generation(ofFolder: folder),
            generation >= max(try firstGeneration(), try root.latestGeneration(of: hash))
        else { return nil }
        return try database.first(
            "INSERT INTO scopes (name, folder, generation) VALUES (?1, ?2, ?3) RETURNING id", Value(name.text),
            Value(folder), Value(generation)
        ) { $0.int64(0) }
    }

    /// Whether a row has this file, as the current or a superseded content of an entry.
    func hasRow(_ file: String, in scopeID: Int64) throws -> Bool {
        try database.has(Index.selectOwner, Value(scopeID), Value(String(file.prefix(32))), Value(file))
    }

    fileprivate func sumsAreRight() throws -> Bool {
        let totals = try database.first(
            """
            SELECT totals.entries = found.entries AND totals.bytes = found.bytes FROM totals,
                (SELECT count(*) AS entries, coalesce(sum(bytes), 0) AS bytes FROM entries) AS found
            """
        ) { $0.bool(0) }
        guard totals == true else { return false }
        return try !database.has(
            """
            SELECT 1 FROM scopes LEFT JOIN
                (SELECT scope, count(*) AS entries, sum(bytes) AS bytes FROM entries GROUP BY scope) AS found
                ON found.scope = scopes.id
            WHERE scopes.entries <> coalesce(found.entries, 0) OR scopes.bytes <> coalesce(found.bytes, 0) LIMIT 1
            """)
    }
}
