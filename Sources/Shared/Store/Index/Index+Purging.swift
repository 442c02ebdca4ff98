import Support

extension Index {
    /// Runs `body`, a transaction that removes entries. If the disk is too full for the write-ahead log, removes some
    /// files of these entries (an entry without a file is treated as absent), empties the log and retries. The retry
    /// needs some tens of kilobytes, so it fails if the removed files were smaller.
    ///
    /// - Parameter files: called on a full disk. Returns the paths, below the root, of some files of the entries.
    func removing<Result>(_ files: () throws -> [String], _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch CacheFailure.diskFull {
            try files().forEach(root.remove)
            try emptyLog()
            return try body()
        }
    }

    func someFiles(of scope: ScopeName? = nil) throws -> [String] {
        var places: [String] = []
        for row in try scopeRows() where scope.map({ row.folder.hasPrefix($0.hash) }) ?? true {
            places += try page(of: row, after: "").map(\.place)
        }
        return places
    }

    /// Switches to `new` and, unless `keeping`, purges the previous scope. Returns nil if `new` is already current.
    func makeCurrent(_ new: ScopeName, keeping: Bool, now: Timestamp) throws -> ScopeSwitch? {
        try purging(now: now, syncs: !keeping) { connection in
            let old = try Self.currentScope(connection.database) ?? .standard
            if old == new { return nil }
            try connection.database.run(
                """
                INSERT INTO settings (name, value) VALUES ('current_scope', ?1)
                ON CONFLICT (name) DO UPDATE SET value = ?1
                """, Value(new.text))
            return ScopeSwitch(old: old, purged: keeping ? nil : try connection.purge(old))
        }
    }

    /// Empties a scope by beginning a new generation. The cost does not depend on the number of entries.
    func purge(_ scope: ScopeName, now: Timestamp) throws -> EntrySum {
        try purging(now: now) { try $0.purge(scope) }
    }

    /// Runs `body`, which purges scopes, in a transaction. Syncs the transaction to the disk if `syncs`, and then
    /// creates the folders of the next generations.
    private func purging<Result>(
        now: Timestamp, syncs: Bool = true, _ body: (inout Connection) throws -> Result
    ) throws -> Result {
        let result = try write(now: now, body)
        if syncs { try synchronize() }
        try beginPurgedGenerations()
        return result
    }

    /// Purges all scopes and deletes all settings, counters and quotas. New scopes begin at a higher generation than
    /// any before, so that work in progress cannot be stored.
    func reset(now: Timestamp) throws -> ResetReport {
        try purging(now: now) { connection in
            let database = connection.database
            let report = try Self.resetReport(database)
            if try connection.mayLackRows() { try connection.addRowsOfLostScopes() }
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
    }

    func reset(_ scope: ScopeName, now: Timestamp) throws -> ResetReport {
        try purging(now: now) { connection in
            let report = try Self.resetReport(connection.database, of: scope)
            _ = try connection.purge(scope)
            try connection.database.run(
                "DELETE FROM counters WHERE scope = (SELECT id FROM scopes WHERE name = ?1 AND purged = 0)",
                Value(scope.text))
            return report
        }
    }

    func resetReport(of scope: ScopeName? = nil) throws -> ResetReport {
        try perform { connection in
            if let scope { return try Self.resetReport(connection.database, of: scope) }
            return try Self.resetReport(connection.database)
        }
    }

    private static func resetReport(_ database: Database, of scope: ScopeName) throws -> ResetReport {
        try database.first(
            """
            SELECT entries, bytes, (SELECT count(*) FROM counters WHERE scope = scopes.id),
                (SELECT count(*) FROM metadata WHERE scope = scopes.id)
            FROM scopes WHERE name = ?1 AND purged = 0
            """, Value(scope.text)
        ) {
            ResetReport(
                scopes: 1, contents: EntrySum(entries: $0.int(0), bytes: $0.int(1)), counters: $0.int(2),
                metadata: $0.int(3))
        } ?? ResetReport()
    }

    private static func resetReport(_ database: Database) throws -> ResetReport {
        try database.first(
            """
            SELECT (SELECT count(*) FROM scopes WHERE purged = 0), entries, bytes, (SELECT count(*) FROM counters),
                (SELECT count(*) FROM metadata WHERE scope IN \(liveScopes))
            FROM totals WHERE id = 1
            """
        ) {
            ResetReport(
                scopes: $0.int(0), contents: EntrySum(entries: $0.int(1), bytes: $0.int(2)), counters: $0.int(3),
                metadata: $0.int(4))
        } ?? ResetReport()
    }

    // MARK: Completing a purge

    /// Creates the empty folder of the next generation for each pending purge. The folder records the purge in case the
    /// index is lost. Must be called after the commit of the purge, never before: a folder without a purge would make
    /// all entries seem purged. The process that completes the purge calls this method again.
    func beginPurgedGenerations() throws {
        let purged = try all("SELECT substr(folder, 1, 32), max(generation) FROM scopes WHERE purged = 1 GROUP BY 1") {
            (hash: $0.string(0), generation: $0.int64(1))
        }
        for (hash, generation) in purged where generation < .max { root.beginGeneration(generation &+ 1, of: hash) }
    }

    /// A purged generation and its remaining rows.
    struct PurgedScope {
        let id: Int64
        let folder: String
        let contents: EntrySum
    }

    /// Returns a purged generation whose rows or files remain.
    func purgedScope() throws -> PurgedScope? {
        try first("SELECT id, folder, entries, bytes FROM scopes WHERE purged = 1 ORDER BY id LIMIT 1") {
            PurgedScope(
                id: $0.int64(0), folder: $0.string(1), contents: EntrySum(entries: $0.int(2), bytes: $0.int(3)))
        }
    }

    func purgedContents() throws -> EntrySum {
        try first("SELECT sum(entries), sum(bytes) FROM scopes WHERE purged = 1") {
            EntrySum(entries: $0.int(0), bytes: $0.int(1))
        } ?? EntrySum()
    }

    /// Deletes up to a batch of rows of a purged generation. Returns false if there were none.
    ///
    /// - Parameter table: `entries`, `metadata` or `copies`.
    func forget(_ table: String, of scope: PurgedScope, now: Timestamp) throws -> Bool {
        try write(now: now, isQuiet: table != "entries") { connection in
            try connection.database.run(
                "DELETE FROM \(table) WHERE id IN (SELECT id FROM \(table) WHERE scope = ?1 LIMIT ?2)", Value(scope.id),
                Value(Self.batch)) > 0
        }
    }

    /// Deletes the row and the empty folder of a purged generation in one transaction, so that no process creates a
    /// subfolder in between. While another purge of the scope is pending, keeps the folders of later generations.
    func forget(_ scope: PurgedScope, now: Timestamp) throws {
        let hash = String(scope.folder.prefix(32))
        try write(now: now) { connection in
            let database = connection.database
            let count = try database.run("DELETE FROM scopes WHERE id = ?1 AND purged = 1", Value(scope.id))
            let mayRemain = "SELECT 1 FROM scopes WHERE folder = ?1 AND purged = 1"
            if count == 0, try database.has(mayRemain, Value(scope.folder)) {
                throw CacheFailure.indexDamaged(detail: "a row cannot be found", root: root.path)
            }
            try database.run("DELETE FROM counters WHERE scope = ?1", Value(scope.id))
            try database.run("DELETE FROM doomed WHERE folder = ?1", Value(scope.folder))
            if let folder = CacheRoot.scope(scope.folder) { _ = root.removeFolder(folder) }
            if try !connection.isPurgePending(of: hash) { try root.removeEmptyGenerations(of: hash) }
        }
    }

    /// Removes the empty generation folders of all scopes without a pending purge.
    func removeUnusedGenerations(now: Timestamp) throws {
        for hash in Set(try root.scopeFolders().map { String($0.prefix(32)) }) {
            try write(now: now) { connection in
                if try !connection.isPurgePending(of: hash) { try root.removeEmptyGenerations(of: hash) }
            }
        }
    }

    /// Returns the live generation of each scope, by the scope's hash, and the generation of scopes without a row.
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
    /// Marks the live row of a scope as purged, creates the row of the next generation and moves the counters to it.
    /// Also creates a row for a scope that has none, because a download for it may be in progress.
    fileprivate func purge(_ scope: ScopeName) throws -> EntrySum {
        var (id, generation, _) = try live(scope)
        // If the index was lost, the scope may have files but no row. Add the row, so that the files are purged.
        if id == nil, try mayLackRows() { id = try addLiveRow(scope, generation: generation) }
        guard let id else {
            _ = try addLiveRow(scope, generation: generation &+ 1)
            return EntrySum()
        }
        let contents = try database.first("SELECT entries, bytes FROM scopes WHERE id = ?1", Value(id)) {
            EntrySum(entries: $0.int(0), bytes: $0.int(1))
        }
        try database.run("UPDATE scopes SET purged = 1 WHERE id = ?1", Value(id))
        let next = try addLiveRow(scope, generation: generation &+ 1)
        try database.run("UPDATE counters SET scope = ?2 WHERE scope = ?1", Value(id), Value(next))
        return contents ?? EntrySum()
    }

    fileprivate func isPurgePending(of hash: String) throws -> Bool {
        try database.has("SELECT 1 FROM scopes WHERE purged = 1 AND substr(folder, 1, 32) = ?1 LIMIT 1", Value(hash))
    }

    /// Inserts a row marked as purged for each scope folder without a row, because the index may have lost the row.
    fileprivate func addRowsOfLostScopes() throws {
        for folder in try root.scopeFolders() {
            guard let generation = CacheRoot.generation(ofFolder: folder) else { continue }
            try database.run(
                "INSERT OR IGNORE INTO scopes (name, folder, generation, purged) VALUES (?1, ?2, ?3, 1)",
                Value(String(folder.prefix(32))), Value(folder), Value(generation))
        }
    }
}
