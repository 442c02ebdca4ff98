import Support

extension Index {
    /// How many rows one transaction removes: some milliseconds, for which others wait.
    private static let purgeBatch = 256

    /// Makes `new` the current scope and, unless `keeping`, purges the one that was. Nil if it is current already.
    func makeCurrent(_ new: ScopeName, keeping: Bool, now: Timestamp) throws -> ScopeSwitch? {
        let result: ScopeSwitch? = try write(now: now) { connection in
            let old = try Self.currentScope(connection.database) ?? .standard
            if old == new { return nil }
            try connection.database.run(
                """
                INSERT INTO settings (name, value) VALUES ('current_scope', ?1)
                ON CONFLICT (name) DO UPDATE SET value = ?1
                """, Value(new.text))
            return ScopeSwitch(old: old, purged: keeping ? nil : try connection.purge(old))
        }
        try beginPurgedGenerations()
        return result
    }

    /// Empties a scope: whatever it holds belongs to an earlier generation from now on. Costs the same however much
    /// that is.
    func purge(_ scope: ScopeName, now: Timestamp) throws -> ScopeContents {
        let contents = try write(now: now) { try $0.purge(scope) }
        try beginPurgedGenerations()
        return contents
    }

    /// Purges all scopes, and forgets them with all settings and counts. Generations go on behind the highest that
    /// there was, so that nothing which is under way can be stored.
    func reset(now: Timestamp) throws -> ResetReport {
        let report = try write(now: now) { connection in
            let database = connection.database
            let report = try Self.resetReport(database)
            if try root.awaitsRebuild { try connection.addRowsOfLostScopes() }
            let highest = try database.first(
                """
                SELECT max(coalesce((SELECT max(generation) FROM scopes), 0),
                    coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'first_generation'), 0))
                """
            ) { $0.int64(0) }
            try database.run("DELETE FROM counters")
            try database.run("DELETE FROM settings")
            try database.run("DELETE FROM quotas")
            try database.run(
                "INSERT INTO settings (name, value) VALUES ('first_generation', ?1)",
                Value(String((highest ?? 0) &+ 1)))
            try database.run("UPDATE scopes SET purged = 1 WHERE purged = 0")
            connection.tallies = Tallies()
            return report
        }
        try beginPurgedGenerations()
        return report
    }

    /// Purges one scope, and forgets its counts.
    func reset(_ scope: ScopeName, now: Timestamp) throws -> ResetReport {
        let report = try write(now: now) { connection in
            let report = try Self.resetReport(connection.database, of: scope)
            _ = try connection.purge(scope)
            try connection.database.run(
                "DELETE FROM counters WHERE scope = (SELECT id FROM scopes WHERE name = ?1 AND purged = 0)",
                Value(scope.text))
            return report
        }
        try beginPurgedGenerations()
        return report
    }

    /// Returns what `reset` would take away, of one scope or of all.
    func resetReport(of scope: ScopeName? = nil) throws -> ResetReport {
        try perform { connection in
            if let scope { return try Self.resetReport(connection.database, of: scope) }
            return try Self.resetReport(connection.database)
        }
    }

    private static func resetReport(_ database: Database, of scope: ScopeName) throws -> ResetReport {
        let report = try database.first(
            """
            SELECT entries, bytes, (SELECT count(*) FROM counters WHERE scope = scopes.id),
                (SELECT count(*) FROM metadata WHERE scope = scopes.id)
            FROM scopes WHERE name = ?1 AND purged = 0
            """, Value(scope.text)
        ) {
            ResetReport(
                scopes: 1, contents: ScopeContents(entries: $0.int(0), bytes: $0.int(1)), counters: $0.int(2),
                metadata: $0.int(3))
        }
        return report ?? ResetReport()
    }

    private static func resetReport(_ database: Database) throws -> ResetReport {
        let report = try database.first(
            """
            SELECT (SELECT count(*) FROM scopes WHERE purged = 0), entries, bytes, (SELECT count(*) FROM counters),
                (SELECT count(*) FROM metadata WHERE scope IN \(liveScopes))
            FROM totals WHERE id = 1
            """
        ) {
            ResetReport(
                scopes: $0.int(0), contents: ScopeContents(entries: $0.int(1), bytes: $0.int(2)), counters: $0.int(3),
                metadata: $0.int(4))
        }
        return report ?? ResetReport()
    }

    // MARK: What a purge leaves to do

    /// Makes the empty folder that tells of each pending purge, should the index be lost. To be called after the purge
    /// was committed, and again by the process that goes on with it: a folder without a purge would make all that is
    /// kept look purged.
    func beginPurgedGenerations() throws {
        let purged = try perform { connection in
            try connection.database.all(
                "SELECT substr(folder, 1, 32), max(generation) FROM scopes WHERE purged = 1 GROUP BY 1"
            ) { (hash: $0.string(0), generation: $0.int64(1)) }
        }
        for (hash, generation) in purged where generation < .max { root.beginGeneration(generation &+ 1, of: hash) }
    }

    /// A generation that has been purged, with what is still there of its rows.
    struct PurgedScope {
        let id: Int64
        let folder: String
        let contents: ScopeContents
    }

    /// The one to go on with; nil if nothing is left to do.
    func purgedScope() throws -> PurgedScope? {
        try perform { connection in
            try connection.database.first(
                "SELECT id, folder, entries, bytes FROM scopes WHERE purged = 1 ORDER BY id LIMIT 1"
            ) {
                PurgedScope(
                    id: $0.int64(0), folder: $0.string(1),
                    contents: ScopeContents(entries: $0.int(2), bytes: $0.int(3)))
            }
        }
    }

    /// What all purged generations still hold.
    func purgedContents() throws -> ScopeContents {
        try perform { connection in
            try connection.database.first("SELECT sum(entries), sum(bytes) FROM scopes WHERE purged = 1") {
                ScopeContents(entries: $0.int(0), bytes: $0.int(1))
            } ?? ScopeContents()
        }
    }

    /// Removes some rows of a purged generation; false once there are none.
    func forgetEntries(of scope: PurgedScope, now: Timestamp) throws -> Bool {
        try write(now: now) { connection in
            try connection.database.run(
                "DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE scope = ?1 LIMIT ?2)", Value(scope.id),
                Value(Self.purgeBatch)) > 0
        }
    }

    /// The same for its metadata.
    func forgetMetadata(of scope: PurgedScope, now: Timestamp) throws -> Bool {
        try write(now: now, isQuiet: true) { connection in
            try connection.database.run(
                "DELETE FROM metadata WHERE id IN (SELECT id FROM metadata WHERE scope = ?1 LIMIT ?2)", Value(scope.id),
                Value(Self.purgeBatch)) > 0
        }
    }

    /// Removes the last trace of a purged generation: its row, and its empty folder, as one, so that nobody is about to
    /// make a folder in the one that goes. That of a later generation stays while others are to be purged.
    func forget(_ scope: PurgedScope, now: Timestamp) throws {
        let hash = String(scope.folder.prefix(32))
        try write(now: now) { connection in
            let database = connection.database
            let count = try database.run("DELETE FROM scopes WHERE id = ?1 AND purged = 1", Value(scope.id))
            let isThere = try database.first(
                "SELECT 1 FROM scopes WHERE folder = ?1 AND purged = 1", Value(scope.folder)
            ) { _ in true }
            if count == 0, isThere == true {
                throw CacheFailure.indexDamaged(detail: "a row cannot be found", root: root.path)
            }
            try database.run("DELETE FROM counters WHERE scope = ?1", Value(scope.id))
            try database.run("DELETE FROM doomed WHERE folder = ?1", Value(scope.folder))
            if let folder = CacheRoot.scope(scope.folder) { _ = root.removeFolder(folder) }
            if try !connection.isPurgePending(of: hash) { try root.removeEmptyGenerations(of: hash) }
        }
    }

    /// Removes the empty folders of all generations that no purge needs any more.
    func removeUnusedGenerations(now: Timestamp) throws {
        for hash in Set(try root.scopeFolders().map { String($0.prefix(32)) }) {
            try write(now: now) { connection in
                if try !connection.isPurgePending(of: hash) { try root.removeEmptyGenerations(of: hash) }
            }
        }
    }

    /// The generation of every scope that has a row, by the hash of its name, and that of all others.
    func generations() throws -> (known: [String: Int64], other: Int64) {
        try perform { connection in
            let rows = try connection.database.all("SELECT folder, generation FROM scopes WHERE purged = 0") {
                (String($0.string(0).prefix(32)), $0.int64(1))
            }
            return (Dictionary(rows) { max($0, $1) }, try connection.firstGeneration())
        }
    }
}

extension Index.Connection {
    /// Marks the live row of a scope purged, and makes one of the next generation, which keeps the counters. The row is
    /// made even where the scope has none yet: something for it may be under way.
    fileprivate func purge(_ scope: ScopeName) throws -> ScopeContents {
        var (id, generation, _) = try live(scope)
        // There may be files of it that have lost their rows.
        if id == nil, try root.awaitsRebuild { id = try addLiveRow(scope, generation: generation) }
        guard let id else {
            _ = try addLiveRow(scope, generation: generation &+ 1)
            return ScopeContents()
        }
        let contents = try database.first("SELECT entries, bytes FROM scopes WHERE id = ?1", Value(id)) {
            ScopeContents(entries: $0.int(0), bytes: $0.int(1))
        }
        try database.run("UPDATE scopes SET purged = 1 WHERE id = ?1", Value(id))
        let next = try addLiveRow(scope, generation: generation &+ 1)
        try database.run("UPDATE counters SET scope = ?2 WHERE scope = ?1", Value(id), Value(next))
        return contents ?? ScopeContents()
    }

    /// Whether anything of this scope, named by its hash, is still to be purged.
    fileprivate func isPurgePending(of hash: String) throws -> Bool {
        try database.first(
            "SELECT 1 FROM scopes WHERE purged = 1 AND substr(folder, 1, 32) = ?1 LIMIT 1", Value(hash)
        ) { _ in true }
            ?? false
    }

    /// Gives a row to each folder that a lost index knew, so that it can be purged.
    fileprivate func addRowsOfLostScopes() throws {
        for folder in try root.scopeFolders() {
            guard let generation = CacheRoot.generation(ofFolder: folder) else { continue }
            try database.run(
                "INSERT OR IGNORE INTO scopes (name, folder, generation, purged) VALUES (?1, ?2, ?3, 1)",
                Value(String(folder.prefix(32))), Value(folder), Value(generation))
        }
    }
}
