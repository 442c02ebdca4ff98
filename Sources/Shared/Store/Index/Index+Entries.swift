import Support

extension Index {
    static let selectByName = "SELECT \(EntryColumn.selection) FROM entries WHERE scope = \(liveScope) AND name = ?2"
    /// Does not overwrite a later use that another process has written, unless that use is in the future (after `?6`),
    /// because the clock was set back.
    static let touch =
        "UPDATE entries SET last_used = ?4, lease_until = ?5 \(sameEntry) AND (last_used <= ?4 OR last_used > ?6)"
    /// Removes the unleased superseded entries of a key.
    static let dropSuperseded =
        "DELETE FROM entries WHERE scope = ?1 AND parent = ?2 AND kind = 2 AND lease_until <= ?3"
    /// `?1` is the row ID of the scope, read in the same transaction.
    static let removeFamily = "DELETE FROM entries WHERE scope = ?1 AND (name = ?2 OR parent = ?2)"
    static let expireVariants = "UPDATE entries SET expires_at = ?3 WHERE scope = \(liveScope) AND parent = ?2"

    /// Selects an entry that was read earlier, unless its scope was purged since. Compares the name `?2` as well as the
    /// row ID `?3`, because SQLite may reuse IDs.
    static let sameEntry = "WHERE id = ?3 AND name = ?2 AND scope = \(liveScope)"

    /// Returns the row with this name. Its file may be missing.
    package func find(_ name: String, in scope: ScopeName) throws -> Entry? {
        try perform { try $0.find(name, in: scope) }
    }

    /// Writes `isUnsettled`, `boot` and `modified` of entries whose files were checked or synced.
    func settle(_ entries: [Entry], now: Timestamp) throws {
        try write(now: now) { connection in
            for entry in entries {
                try connection.database.run(
                    "UPDATE entries SET unsettled = ?4, boot = ?5, modified = ?6 \(Self.sameEntry)",
                    Value(entry.scope.hash), Value(entry.name), Value(entry.id), Value(entry.isUnsettled),
                    entry.boot.value, entry.modified.value)
            }
        }
    }

    /// In one transaction, calls `place`, which renames the file, and then inserts the row.
    ///
    /// The new entry inherits the pin of the entry that it replaces. The replaced entry is removed or, if pinned or
    /// leased, stays as a superseded entry until it is trimmed.
    ///
    /// Returns the entry and the new size of the root.
    ///
    /// If a row already has the file's name, the new file gets another name, because that row must not describe the new
    /// bytes.
    func commit(
        _ new: Entry, in scope: ActiveScope, generation: Int64, now: Timestamp, place: (Entry) throws -> Void
    ) throws -> (entry: Entry, state: RootState) {
        // Rename only once: the closure runs again if the index is found damaged and replaced.
        var placed: String?
        return try write(now: now) { connection in
            try connection.check(generation, of: scope)
            let database = connection.database
            let scopeID = try connection.makeScope(scope.name)
            try database.run(Self.dropSuperseded, Value(scopeID), Value(new.parent ?? new.name), Value(now))
            let old = try connection.find(new.name, in: scope.name)
            if let old { try connection.end(old, replacedBy: new.parent ?? new.name, now: now) }
            var new = new
            new.isPinned = old?.isPinned ?? false
            if let placed {
                new.file = placed
            } else {
                if try old?.file == new.file || connection.hasRow(new.file, in: scopeID) {
                    new.file = CacheRoot.otherBlobName(new.file)
                }
                try place(new)
                placed = new.file
            }
            let stored = try connection.insert(new, scopeID)
            try database.run(Self.dropNegatives, Value(scopeID), Value(new.name))
            guard let stored else { throw CacheFailure.fault(detail: "an entry is missing after its insertion") }
            return (stored, try connection.rootState())
        }
    }

    /// Records the revalidation of an entry: writes the columns with `isRenewed`, and the expiry of its variants.
    /// Returns nil if the entry no longer exists.
    package func renew(_ entry: Entry, in scope: ActiveScope, generation: Int64, now: Timestamp) throws -> Entry? {
        try write(now: now) { connection in
            try connection.check(generation, of: scope)
            let hash = Value(entry.scope.hash)
            let renewed = try connection.database.first(
                "UPDATE entries SET \(EntryColumn.renewal) \(Self.sameEntry) RETURNING \(EntryColumn.selection)",
                [hash, Value(entry.name), Value(entry.id)] + EntryColumn.renewed.map { $0.value(entry) }
            ) { self.entry($0, scope: entry.scope) }
            try connection.database.run(Self.dropLiveNegatives, hash, Value(entry.name))
            try connection.database.run(Self.expireVariants, hash, Value(entry.name), Value(entry.expiresAt))
            return renewed
        }
    }

    /// Changes the expiry of an entry and its variants. Does nothing if the entry no longer exists.
    package func expire(_ entry: Entry, at end: Timestamp, now: Timestamp) throws {
        try write(now: now) { connection in
            let hash = Value(entry.scope.hash)
            let count = try connection.database.run(
                "UPDATE entries SET expires_at = ?4, usable_until = min(usable_until, ?4) \(Self.sameEntry)", hash,
                Value(entry.name), Value(entry.id), Value(end))
            if count == 1 { try connection.database.run(Self.expireVariants, hash, Value(entry.name), Value(end)) }
        }
    }

    /// Reads the row with this entry's name and removes it if `isWrong` returns true. The check runs within the
    /// transaction, so no process can store the entry between the check and the removal.
    func heal(_ entry: Entry, now: Timestamp, isWrong: (Entry) throws -> Bool) throws {
        let scope = entry.scope
        try write(now: now) { connection in
            guard let found = try connection.find(entry.name, in: scope), try isWrong(found) else { return }
            try connection.database.run("DELETE FROM entries WHERE id = ?1", Value(found.id))
            connection.unspared.insert(found.place)
            connection.tallies.change(scope) { $0.add(.healed) }
        }
    }

    func entry(_ row: Row, scope: ScopeName) -> Entry { Entry(row, scope: scope, root: root) }
}

extension Index.Connection {
    package func find(_ name: String, in scope: ScopeName) throws -> Entry? {
        try database.first(Index.selectByName, Value(scope.hash), Value(name)) {
            Entry($0, scope: scope, root: root)
        }
    }

    /// Removes a replaced entry or, if it is pinned or leased, turns it into a superseded entry.
    ///
    /// - Parameter name: the name of the new original; for a new variant, the name of its original.
    func end(_ old: Entry, replacedBy name: String, now: Timestamp) throws {
        if old.isPinned || old.leaseEnd(at: now) > now {
            try database.run(
                "UPDATE entries SET name = file, kind = ?2, parent = ?3, pinned = 0 WHERE id = ?1", Value(old.id),
                Value(Entry.Kind.superseded.rawValue), Value(name))
        } else {
            try database.run("DELETE FROM entries WHERE id = ?1", Value(old.id))
        }
    }

    func insert(_ new: Entry, _ scopeID: Int64) throws -> Entry? {
        try database.first(EntryColumn.insertion, [Value(scopeID)] + EntryColumn.all.map { $0.value(new) }) {
            Entry($0, scope: new.scope, root: root)
        }
    }
}
