import Support

/// The row of an entry whose file is ready to be renamed into place.
package struct NewEntry {
    package var name: String
    /// Nil only if unknown, see `Entry.key`.
    package var key: String?
    package var kind: Entry.Kind = .original
    package var parent: String?
    package var parentSHA256: String?
    package var url: String?
    package var file: String
    package var bytes: Int
    package var sha256: String
    package var picture: FileFacts
    package var validators = Validators()
    package var fetchedAt: Timestamp
    package var expiresAt: Timestamp
    package var lastUsed: Timestamp
    package var leaseUntil: Timestamp
    /// Used for recovered entries only. Otherwise an entry inherits the pin of its predecessor.
    package var isPinned = false
    package var directives = CacheDirectives()
    /// See `Entry.isPrivate`.
    package var isPrivate = true
    /// See `Entry.vary`.
    package var vary: String?

    package init(
        name: String, key: String?, kind: Entry.Kind = .original, parent: String? = nil, parentSHA256: String? = nil,
        url: String? = nil, file: String, bytes: Int, sha256: String, picture: FileFacts,
        validators: Validators = Validators(), fetchedAt: Timestamp, expiresAt: Timestamp, lastUsed: Timestamp,
        leaseUntil: Timestamp, isPinned: Bool = false, directives: CacheDirectives = CacheDirectives(),
        isPrivate: Bool = true, vary: String? = nil
    ) {
        self.name = name
        self.key = key
        self.kind = kind
        self.parent = parent
        self.parentSHA256 = parentSHA256
        self.url = url
        self.file = file
        self.bytes = bytes
        self.sha256 = sha256
        self.picture = picture
        self.validators = validators
        self.fetchedAt = fetchedAt
        self.expiresAt = expiresAt
        self.lastUsed = lastUsed
        self.leaseUntil = leaseUntil
        self.isPinned = isPinned
        self.directives = directives
        self.isPrivate = isPrivate
        self.vary = vary
    }
}

extension Index {
    static let selectByName = "SELECT \(columns) FROM entries WHERE scope = \(liveScope) AND name = ?2"
    /// Keeps a later use that another process has written, unless it is after `?6`, the present: the clock was set
    /// back.
    static let touch =
        "UPDATE entries SET last_used = ?4, lease_until = ?5 \(sameEntry) AND (last_used <= ?4 OR last_used > ?6)"
    static let upsert = """
        INSERT INTO entries (scope, name, key, kind, parent, parent_sha256, url, file, bytes, content_type, sha256,
            width, height, details, etag, last_modified, fetched_at, expires_at, last_used, lease_until, pinned,
            must_revalidate, private, vary, immutable, usable_until, stands_in_until)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
            ?23, ?24, ?25, ?26, ?27)
        ON CONFLICT (scope, name) DO UPDATE SET
            key = ?3, kind = ?4, parent = ?5, parent_sha256 = ?6, url = ?7, file = ?8, bytes = ?9, content_type = ?10,
            sha256 = ?11, width = ?12, height = ?13, details = ?14, etag = ?15, last_modified = ?16, fetched_at = ?17,
            expires_at = ?18, last_used = ?19, lease_until = ?20, must_revalidate = ?22, private = ?23,
            vary = ?24, immutable = ?25, usable_until = ?26, stands_in_until = ?27, unsettled = 0
        RETURNING \(columns)
        """
    /// By the scope's number, within a transaction.
    static let removeFamily = "DELETE FROM entries WHERE scope = ?1 AND (name = ?2 OR parent = ?2)"
    static let expireVariants = "UPDATE entries SET expires_at = ?3 WHERE scope = \(liveScope) AND parent = ?2"

    /// Selects an entry that was read before, unless its scope was purged. The number `?3` alone does not suffice,
    /// because SQLite may reuse it; `?2` is the name.
    static let sameEntry = "WHERE id = ?3 AND name = ?2 AND scope = \(liveScope)"

    static let columns = """
        id, name, key, kind, parent_sha256, url, file, bytes, content_type, sha256, width, height, details, etag, \
        last_modified, fetched_at, expires_at, last_used, lease_until, pinned, unsettled, \
        (SELECT folder FROM scopes WHERE scopes.id = entries.scope), must_revalidate, private, vary, immutable, \
        usable_until, stands_in_until
        """

    /// Returns the row with this name. Its file may be missing.
    package func find(_ name: String, in scope: ScopeName) throws -> Entry? {
        try perform { try $0.find(name, in: scope) }
    }

    /// Marks an entry whose file is about to be replaced, so that the row is not trusted if the process dies, or
    /// removes the mark of an entry that matches its file.
    func setUnsettled(_ entry: Entry, _ isUnsettled: Bool, now: Timestamp) throws {
        try write(now: now) { connection in
            _ = try connection.database.run(
                "UPDATE entries SET unsettled = ?4 \(Self.sameEntry)", Value(entry.scope.hash), Value(entry.name),
                Value(entry.id), Value(isUnsettled))
        }
    }

    /// Runs `place`, which renames the file, and writes its row, in one transaction.
    ///
    /// The entry inherits the pin of its predecessor. A predecessor with another file name is removed; if it is pinned
    /// or leased, it stays as an entry that only trimming sees.
    ///
    /// Returns the entry and the new size of the root.
    func commit(
        _ new: NewEntry, in scope: ActiveScope, generation: Int64, now: Timestamp,
        place: (_ isPinned: Bool) throws -> Void
    ) throws -> (entry: Entry, size: RootSize) {
        var isPlaced = false
        return try write(now: now) { connection in
            try connection.check(generation, of: scope)
            let database = connection.database
            let scopeID = try connection.makeScope(scope.name)
            if new.file != new.name {
                try database.run(
                    "DELETE FROM entries WHERE scope = ?1 AND name = ?2", Value(scopeID), Value(new.file))
            }
            let old = try connection.find(new.name, in: scope.name)
            if let old, old.file != new.file {
                if old.isPinned || old.leaseEnd(at: now) > now {
                    try database.run(
                        "UPDATE entries SET name = file, kind = ?2, parent = name, pinned = 0 WHERE id = ?1",
                        Value(Int(old.id)), Value(Entry.Kind.superseded.rawValue))
                } else {
                    try database.run("DELETE FROM entries WHERE id = ?1", Value(Int(old.id)))
                }
            }
            // Once only: after damage to the index, the whole closure runs again.
            if !isPlaced { try place(old?.isPinned ?? false) }
            isPlaced = true
            let stored = try connection.upsert(new, isPinned: old?.isPinned ?? false, scopeID, of: scope.name)
            try database.run(Self.dropNegatives, Value(scopeID), Value(new.name))
            guard let stored else { throw CacheFailure.fault(detail: "an entry was written and is not there") }
            return (stored, try connection.rootSize())
        }
    }

    /// Records that the server confirmed an entry. Returns nil if the entry is gone.
    ///
    /// - Parameter isPrivate: whether the entry becomes private. A private entry stays private.
    package func refresh(
        _ entry: Entry, in scope: ActiveScope, validators: Validators, expiresAt: Timestamp,
        directives: CacheDirectives = CacheDirectives(), isPrivate: Bool = false, vary: String? = nil,
        leaseUntil: Timestamp, generation: Int64, now: Timestamp
    ) throws -> Entry? {
        try write(now: now) { connection in
            try connection.check(generation, of: scope)
            let refreshed = try connection.database.first(
                """
                UPDATE entries SET etag = ?4, last_modified = ?5, fetched_at = ?6, expires_at = ?7, last_used = ?6,
                    lease_until = ?8, must_revalidate = ?9, private = private OR ?10,
                    vary = ?11, immutable = ?12, usable_until = ?13, stands_in_until = ?14
                \(Self.sameEntry) RETURNING \(Self.columns)
                """, Value(entry.scope.hash), Value(entry.name), Value(entry.id), Value(validators.etag),
                Value(validators.lastModified), Value(now), Value(expiresAt), Value(leaseUntil),
                Value(directives.mustRevalidate), Value(isPrivate), Value(vary), Value(directives.isImmutable),
                Value(directives.usableUntil), Value(directives.standsInUntil)
            ) { self.entry($0, scope: entry.scope) }
            let hash = Value(entry.scope.hash)
            try connection.database.run(Self.dropLiveNegatives, hash, Value(entry.name))
            try connection.database.run(Self.expireVariants, hash, Value(entry.name), Value(expiresAt))
            return refreshed
        }
    }

    /// Changes the expiry of an entry and its variants. Does nothing if the entry is gone.
    package func expire(_ entry: Entry, at end: Timestamp, now: Timestamp) throws {
        try write(now: now) { connection in
            let hash = Value(entry.scope.hash)
            let count = try connection.database.run(
                "UPDATE entries SET expires_at = ?4, usable_until = min(usable_until, ?4) \(Self.sameEntry)", hash,
                Value(entry.name), Value(entry.id), Value(end))
            if count == 1 { try connection.database.run(Self.expireVariants, hash, Value(entry.name), Value(end)) }
        }
    }

    /// Removes the row with this name unless `isSound` accepts it. The check runs within the transaction, so no process
    /// can store the entry between the check and the removal.
    func heal(_ name: String, in scope: ScopeName, now: Timestamp, isSound: (Entry) throws -> Bool) throws {
        try write(now: now) { connection in
            guard let found = try connection.find(name, in: scope), try !isSound(found) else { return }
            try connection.database.run("DELETE FROM entries WHERE id = ?1", Value(Int(found.id)))
            connection.unspared.insert(found.place)
            connection.tallies.change(scope) { $0.add(.healed) }
        }
    }

    func entry(_ row: Row, scope: ScopeName) -> Entry { Entry(row, scope: scope, root: root) }
}

extension Index.Connection {
    /// See `Index.find`.
    package func find(_ name: String, in scope: ScopeName) throws -> Entry? {
        try database.first(Index.selectByName, Value(scope.hash), Value(name)) {
            Entry($0, scope: scope, root: root)
        }
    }

    /// Inserts or replaces a row, within a transaction.
    func upsert(_ new: NewEntry, isPinned: Bool, _ scopeID: Int64, of scope: ScopeName) throws -> Entry? {
        try database.first(
            Index.upsert, Value(scopeID), Value(new.name), Value(new.key), Value(new.kind.rawValue),
            Value(new.parent), Value(new.parentSHA256), Value(new.url), Value(new.file), Value(new.bytes),
            Value(new.picture.contentType), Value(new.sha256), Value(new.picture.width),
            Value(new.picture.height), Value(new.picture.details), Value(new.validators.etag),
            Value(new.validators.lastModified), Value(new.fetchedAt), Value(new.expiresAt), Value(new.lastUsed),
            Value(new.leaseUntil), Value(isPinned), Value(new.directives.mustRevalidate),
            Value(new.isPrivate), Value(new.vary), Value(new.directives.isImmutable),
            Value(new.directives.usableUntil), Value(new.directives.standsInUntil)
        ) { Entry($0, scope: scope, root: root) }
    }
}

extension Entry {
    /// Reads `Index.columns`.
    fileprivate init(_ row: Row, scope: ScopeName, root: CacheRoot) {
        let file = row.string(6)
        let place = CacheRoot.blob(file, folder: row.string(21)) ?? ""
        self.init(
            key: row.optionalString(2), scope: scope, kind: Entry.Kind(rawValue: row.int(3)) ?? .original,
            path: place.isEmpty ? "" : root.path(of: place), url: row.optionalString(5), bytes: row.int(7),
            contentType: row.string(8), sha256: row.string(9), width: row.optionalInt(10),
            height: row.optionalInt(11), details: row.optionalString(12), fetchedAt: row.timestamp(15),
            expiresAt: row.timestamp(16), lastUsed: row.timestamp(17), leaseUntil: row.timestamp(18),
            isPinned: row.bool(19),
            validators: Validators(etag: row.optionalString(13), lastModified: row.optionalString(14)),
            id: row.int64(0), name: row.string(1), file: file, place: place, parentSHA256: row.optionalString(4),
            isUnsettled: row.bool(20),
            directives: CacheDirectives(
                mustRevalidate: row.bool(22), isImmutable: row.bool(25), usableUntil: row.optionalTimestamp(26),
                standsInUntil: row.optionalTimestamp(27)),
            isPrivate: row.bool(23), vary: row.optionalString(24))
    }
}
