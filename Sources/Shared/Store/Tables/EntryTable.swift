import Support

/// Rows of `entries`.
package struct EntryTable {
    let connection: IndexConnection
    var database: Database { connection.database }
    var root: CacheRoot { connection.root }

    static let select = "SELECT \(EntryColumn.selection) FROM entries WHERE"
    static let selectByName = "\(select) scope = \(ScopeTable.live) AND name = ?2"
    static let selectInFolder = "\(select) scope = \(ScopeTable.liveFolder) AND name = ?2"
    static let selectPage = "\(select) scope = \(ScopeTable.liveFolder) AND name > ?2 ORDER BY name LIMIT ?3"
    /// In the row of a superseded entry, `name` is the file name.
    static let selectOwner = "SELECT 1 FROM entries WHERE scope = ?1 AND name IN (?2, ?3) AND file = ?3 LIMIT 1"
    /// Does not overwrite a later use that another process has written, unless that use is in the future (after `?6`),
    /// because the clock was set back.
    static let touch = """
        UPDATE entries SET last_used = ?4, lease_until = ?5
        WHERE \(isSame) AND (last_used <= ?4 OR last_used > ?6)
        """
    static let expireVariants = "UPDATE entries SET expires_at = ?3 WHERE scope = \(ScopeTable.live) AND parent = ?2"

    /// Selects an entry that was read earlier, unless its scope was purged since. Compares the name `?2` as well as the
    /// row ID `?3`, because SQLite may reuse IDs.
    private static let isSame = "id = ?3 AND name = ?2 AND scope = \(ScopeTable.live)"

    // MARK: Reading

    /// Returns the row with this name. Its file may be missing.
    package func find(_ name: String, in scope: ScopeName) throws -> Entry? {
        try first(Self.selectByName, [Value(scope.hash), Value(name)], in: scope)
    }

    /// Returns the row with this name in the live generation with this folder.
    func find(_ name: String, folder: String, scope: ScopeName) throws -> Entry? {
        try first(Self.selectInFolder, [Value(folder), Value(name)], in: scope)
    }

    /// Returns up to a batch of a scope's entries after `name`, including superseded entries.
    func page(of scope: ScopeRow, after name: String) throws -> [Entry] {
        try all(
            Self.selectPage, [Value(scope.folder), Value(name), Value(IndexConnection.batch)], in: scope.name)
    }

    /// Returns the variants of an original, the smallest first.
    func variants(of entry: Entry) throws -> [Entry] {
        try all(
            "\(Self.select) scope = \(ScopeTable.live) AND parent = ?2 AND kind = 1 ORDER BY width, name",
            [Value(entry.scope.hash), Value(entry.name)], in: entry.scope)
    }

    /// Whether a row has this file, as the current or a superseded content of an entry.
    func hasRow(_ file: String, in scopeID: Int64) throws -> Bool {
        try database.has(Self.selectOwner, Value(scopeID), Value(String(file.prefix(32))), Value(file))
    }

    /// Returns the names in `files` that have no row in the generation with this folder, which may be purged.
    func filesWithoutRow(_ files: [String], folder: String) throws -> [String] {
        let scopeID = try database.first("SELECT id FROM scopes WHERE folder = ?1", Value(folder)) { $0.int64(0) }
        guard let scopeID else { return files }
        return try files.filter { try !hasRow($0, in: scopeID) }
    }

    private func first(_ sql: String, _ values: [Value], in scope: ScopeName) throws -> Entry? {
        try database.first(sql, values) { Entry($0, scope: scope, root: root) }
    }

    private func all(_ sql: String, _ values: [Value], in scope: ScopeName) throws -> [Entry] {
        try database.all(sql, values) { Entry($0, scope: scope, root: root) }
    }

    // MARK: Storing

    /// Calls `place`, which renames the file, and then inserts the row.
    ///
    /// The new entry inherits the pin of the entry that it replaces. The replaced entry is removed or, if pinned or
    /// leased, stays as a superseded entry until it is trimmed.
    ///
    /// If a row already has the file's name, the new file gets another name, because that row must not describe the new
    /// bytes.
    ///
    /// - Parameter placed: the name of the file after `place`. Not nil if the index was found damaged after `place`, and
    ///   was replaced: the file must not be renamed again.
    func commit(
        _ new: Entry, placed: inout String?, now: Timestamp, place: (Entry) throws -> Void
    ) throws -> Entry {
        let scopeID = try connection.scopes.make(new.scope)
        // Remove the unleased superseded entries of the key.
        try database.run(
            "DELETE FROM entries WHERE scope = ?1 AND parent = ?2 AND kind = 2 AND lease_until <= ?3", Value(scopeID),
            Value(new.parent ?? new.name), Value(now))
        let old = try find(new.name, in: new.scope)
        if let old { try end(old, replacedBy: new.parent ?? new.name, now: now) }
        var new = new
        new.isPinned = old?.isPinned ?? false
        if let placed {
            new.file = placed
        } else {
            if try old?.file == new.file || hasRow(new.file, in: scopeID) {
                new.file = CacheRoot.otherBlobName(new.file)
            }
            try place(new)
            placed = new.file
        }
        let stored = try insert(new, in: scopeID)
        try connection.negatives.delete(new.name, in: scopeID)
        return stored
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
        if let found = try find(key.name, in: scope) { return found }
        guard let old = try find(name, in: scope) else { return nil }
        let scopeID = try connection.scopes.make(scope)
        var new = old
        new.name = key.name
        new.key = key.text
        new.url = old.url.map { AddressSecrets.replacing(in: $0) { _ in AddressSecrets.mark } }
        new.file = try CacheRoot.blobName(
            key.name, isVariant: false, sha256: old.sha256, fileExtension: old.fileExtension)
        // A power failure may lose the new name.
        new.boot = try root.boot
        if try hasRow(new.file, in: scopeID) { new.file = CacheRoot.otherBlobName(new.file) }
        guard try link(old, new) else { return old }
        try end(old, replacedBy: new.name, now: now)
        try database.run(
            "UPDATE entries SET parent = ?3 WHERE scope = ?1 AND parent = ?2", Value(scopeID), Value(name),
            Value(new.name))
        return try insert(new, in: scopeID)
    }

    /// Inserts a row for a file that has none. Replaces a row of the same name if its file is missing or has another
    /// size. Returns nil if `isThere` returns false, or if the file or the name has a valid row by now.
    func recover(_ new: Entry, folder: String, now: Timestamp, isThere: () throws -> Bool) throws -> Entry? {
        guard let scopeID = try connection.scopes.makeForRecovery(folder: folder, name: new.scope), try isThere() else {
            return nil
        }
        if let old = try find(new.name, folder: folder, scope: new.scope) {
            if try root.isWhole(old) { return nil }
            try delete(old.id)
        }
        if new.kind == .superseded, try hasRow(new.file, in: scopeID) { return nil }
        try connection.counters.add(.healed, 1, in: scopeID, now: now)
        return try insert(new, in: scopeID)
    }

    private func insert(_ new: Entry, in scopeID: Int64) throws -> Entry {
        let values = [Value(scopeID)] + EntryColumn.all.map { $0.value(new) }
        guard let stored = try first(EntryColumn.insertion, values, in: new.scope) else {
            throw CacheFailure.fault(detail: "an entry is missing after its insertion")
        }
        return stored
    }

    /// Removes a replaced entry or, if it is pinned or leased, turns it into a superseded entry.
    ///
    /// - Parameter name: the name of the new original; for a new variant, the name of its original.
    private func end(_ old: Entry, replacedBy name: String, now: Timestamp) throws {
        guard old.isPinned || old.leaseEnd(at: now) > now else { return try delete(old.id) }
        try database.run(
            "UPDATE entries SET name = file, kind = ?2, parent = ?3, pinned = 0 WHERE id = ?1", Value(old.id),
            Value(Entry.Kind.superseded.rawValue), Value(name))
    }

    // MARK: Changing

    /// Changes an entry that was read earlier, unless it was removed, replaced or purged since. Returns its new row.
    ///
    /// - Parameter values: the parameters of `assignments`, starting with `?4`.
    private func update(
        _ entry: Entry, _ assignments: String, _ values: [Value], if condition: String = "TRUE"
    ) throws -> Entry? {
        try first(
            """
            UPDATE entries SET \(assignments) WHERE \(Self.isSame) AND \(condition) RETURNING \(EntryColumn.selection)
            """, identity(of: entry) + values, in: entry.scope)
    }

    /// The values of `isSame`.
    private func identity(of entry: Entry) -> [Value] { [Value(entry.scope.hash), Value(entry.name), Value(entry.id)] }

    /// Writes the last use of an entry.
    func touch(_ entry: Entry, now: Timestamp) throws {
        try database.run(
            Self.touch, identity(of: entry) + [Value(entry.lastUsed), Value(entry.leaseUntil), Value(now)])
    }

    /// Writes `needsVerification`, `boot` and `modified` of an entry whose file was checked or synced.
    func settle(_ entry: Entry) throws {
        _ = try update(
            entry, "unsettled = ?4, boot = ?5, modified = ?6",
            [Value(entry.needsVerification), entry.boot.value, entry.modified.value])
    }

    /// Records the revalidation of an entry: writes the columns with `isRenewed`, and the expiry of its variants.
    /// Returns nil if the entry no longer exists.
    func renew(_ entry: Entry) throws -> Entry? {
        let renewed = try update(entry, EntryColumn.renewal, EntryColumn.renewed.map { $0.value(entry) })
        if let scopeID = try connection.scopes.live(entry.scope).id {
            try connection.negatives.delete(entry.name, in: scopeID)
        }
        try expireVariants(of: entry, at: entry.expiresAt)
        return renewed
    }

    /// Changes the expiry of an entry and its variants. Does nothing if the entry no longer exists.
    func expire(_ entry: Entry, at end: Timestamp) throws {
        let expired = try update(entry, "expires_at = ?4, usable_until = min(usable_until, ?4)", [Value(end)])
        if expired != nil { try expireVariants(of: entry, at: end) }
    }

    private func expireVariants(of entry: Entry, at end: Timestamp) throws {
        try database.run(Self.expireVariants, Value(entry.scope.hash), Value(entry.name), Value(end))
    }

    /// Pins or unpins an entry. Returns nil if the entry no longer exists.
    func setPinned(_ entry: Entry, _ isPinned: Bool) throws -> Entry? {
        try update(entry, "pinned = ?4", [Value(isPinned)])
    }

    /// Sets the key of an entry that has none, because its row was recovered from its file.
    func setKey(_ entry: Entry, _ key: String) throws -> Entry {
        try update(entry, "key = ?4", [Value(key)], if: "key IS NULL") ?? entry
    }
}
