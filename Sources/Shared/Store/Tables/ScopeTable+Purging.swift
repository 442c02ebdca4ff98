import Support

/// A purged generation and its remaining rows.
struct PurgedScope {
    let id: Int64
    let folder: String
    let contents: EntrySum
}

/// A purge marks the live row of a scope and creates the row of the next generation, so its cost does not depend on the
/// number of entries. `Purge` deletes the marked rows and their files.
extension ScopeTable {
    /// Switches to `new` and, unless `keeping`, purges the previous scope. Returns nil if `new` is already current.
    func makeCurrent(_ new: ScopeName, keeping: Bool) throws -> ScopeSwitch? {
        let old = try database.currentScope() ?? .standard
        if old == new { return nil }
        try database.set(.currentScope, to: new.text)
        return ScopeSwitch(old: old, purged: keeping ? nil : try purge(old))
    }

    /// Marks the live row of a scope as purged, creates the row of the next generation and moves the counters to it.
    /// Also creates a row for a scope that has none, because a download for it may be in progress.
    func purge(_ scope: ScopeName) throws -> EntrySum {
        var (id, generation, _) = try live(scope)
        // If the index was lost, the scope may have files but no row. Add the row, so that the files are purged.
        if id == nil, try connection.mayLackRows() { id = try insert(scope, generation: generation) }
        if let id { try database.run("UPDATE scopes SET purged = 1 WHERE id = ?1", Value(id)) }
        let next = try insert(scope, generation: generation &+ 1)
        guard let id else { return EntrySum() }
        try database.run("UPDATE counters SET scope = ?2 WHERE scope = ?1", Value(id), Value(next))
        return try database.sum("SELECT entries, bytes FROM scopes WHERE id = ?1", Value(id))
    }

    /// Purges a scope and deletes its counters.
    func reset(_ scope: ScopeName) throws -> ResetReport {
        let report = try resetReport(of: scope)
        _ = try purge(scope)
        try database.run("DELETE FROM counters WHERE scope = \(Self.live)", Value(scope.hash))
        return report
    }

    /// Purges all scopes and deletes all settings, counters and quotas. New scopes begin at a higher generation than
    /// any before, so that work in progress cannot be stored.
    func reset() throws -> ResetReport {
        let report = try resetReport()
        if try connection.mayLackRows() { try addRowsOfLostScopes() }
        let latest = try database.first("SELECT max(generation) FROM scopes") { $0.int64(0) } ?? 0
        let next = max(latest, try firstGeneration()) &+ 1
        try database.execute("DELETE FROM counters; DELETE FROM settings; DELETE FROM quotas")
        try database.set(.firstGeneration, to: String(next))
        try database.set(.boot, to: String(CacheRoot.machineBoot))
        try database.execute("UPDATE scopes SET purged = 1 WHERE purged = 0")
        connection.tallies = Tallies()
        return report
    }

    /// Counts the rows that a reset of a scope or of all scopes would remove.
    func resetReport(of scope: ScopeName? = nil) throws -> ResetReport {
        try database.first(
            """
            SELECT sum(purged = 0), sum(entries), sum(bytes),
                sum((SELECT count(*) FROM counters WHERE scope = scopes.id)),
                sum(iif(purged, 0, (SELECT count(*) FROM metadata WHERE scope = scopes.id)))
            FROM scopes WHERE ?1 IS NULL OR substr(folder, 1, 32) = ?1 AND purged = 0
            """, Value(scope?.hash)
        ) { ResetReport(scopes: $0.int(0), contents: $0.sum(at: 1), counters: $0.int(3), metadata: $0.int(4)) }
            ?? ResetReport()
    }

    /// Inserts a row marked as purged for each scope folder without a row, because the index may have lost the row.
    private func addRowsOfLostScopes() throws {
        for folder in try root.scopeFolders() {
            guard let generation = CacheRoot.generation(ofFolder: folder) else { continue }
            try database.run(
                "INSERT OR IGNORE INTO scopes (name, folder, generation, purged) VALUES (?1, ?2, ?3, 1)",
                Value(String(folder.prefix(32))), Value(folder), Value(generation))
        }
    }

    // MARK: Completing a purge

    /// Creates the empty folder of the next generation for each pending purge. The folder records the purge in case the
    /// index is lost. Must be called after the commit of the purge, never before: a folder without a purge would make
    /// all entries seem purged. The process that completes the purge calls this method again.
    func beginPurgedGenerations() throws {
        let purged = try database.all(
            "SELECT substr(folder, 1, 32), max(generation) FROM scopes WHERE purged = 1 GROUP BY 1"
        ) { (hash: $0.string(0), generation: $0.int64(1)) }
        for (hash, generation) in purged where generation < .max { root.beginGeneration(generation &+ 1, of: hash) }
    }

    /// Returns a purged generation whose rows or files remain.
    func purged() throws -> PurgedScope? {
        try database.first("SELECT id, folder, entries, bytes FROM scopes WHERE purged = 1 ORDER BY id LIMIT 1") {
            PurgedScope(id: $0.int64(0), folder: $0.string(1), contents: $0.sum(at: 2))
        }
    }

    func purgedContents() throws -> EntrySum {
        try database.sum("SELECT sum(entries), sum(bytes) FROM scopes WHERE purged = 1")
    }

    /// Deletes up to a batch of rows of a purged generation. Returns false if there were none.
    ///
    /// - Parameter table: `entries`, `metadata` or `copies`.
    func deleteRows(of scope: PurgedScope, in table: String) throws -> Bool {
        try database.run(
            "DELETE FROM \(table) WHERE id IN (SELECT id FROM \(table) WHERE scope = ?1 LIMIT ?2)", Value(scope.id),
            Value(IndexConnection.batch)) > 0
    }

    /// Deletes the row and the empty folder of a purged generation in one transaction, so that no process creates a
    /// subfolder in between.
    func delete(_ scope: PurgedScope) throws {
        let count = try database.run("DELETE FROM scopes WHERE id = ?1 AND purged = 1", Value(scope.id))
        let mayRemain = "SELECT 1 FROM scopes WHERE folder = ?1 AND purged = 1"
        if count == 0, try database.has(mayRemain, Value(scope.folder)) {
            throw CacheFailure.indexDamaged(detail: "a row cannot be found", root: root.path)
        }
        try database.run("DELETE FROM counters WHERE scope = ?1", Value(scope.id))
        try database.run("DELETE FROM doomed WHERE folder = ?1", Value(scope.folder))
        if let folder = CacheRoot.scope(scope.folder) { _ = root.removeFolder(folder) }
        try removeUnusedGenerations(of: String(scope.folder.prefix(32)))
    }

    /// Removes the empty folders of a scope's generations, and returns their number. Removes none while only the folders
    /// record the latest generation: if a purge of the scope is pending, or if rows may be missing, also in an index that
    /// has replaced this index.
    @discardableResult
    func removeUnusedGenerations(of hash: String) throws -> Int {
        let isPending = "SELECT 1 FROM scopes WHERE purged = 1 AND substr(folder, 1, 32) = ?1 LIMIT 1"
        if try connection.mayLackRows() || root.indexIdentity() != connection.identity
            || database.has(isPending, Value(hash))
        {
            return 0
        }
        return try root.removeEmptyGenerations(of: hash)
    }
}
