import Support

/// The scope of a run.
package struct ActiveScope: Sendable {
    package let name: ScopeName
    /// Whether the user named no scope, so that the run uses the current scope.
    package var followsCurrent = false
    /// For a cache in memory, the root on disk that determines the current scope.
    package var followedRoot: CacheRoot?
}

/// A live row of `scopes`.
struct ScopeRow: Sendable, Equatable {
    let id: Int64
    let name: ScopeName
    /// The scope's folder below `scopes/`.
    let folder: String
    let contents: EntrySum
}

/// The scopes, their generations, and the purges that begin new generations.
package struct ScopeTable {
    let connection: IndexConnection
    var database: Database { connection.database }
    var root: CacheRoot { connection.root }

    /// Selects the ID of the live row of the scope with the hash `?1`. Part of each statement, because another process
    /// may purge the scope at any time and SQLite may reuse the ID.
    static let live = "(SELECT id FROM scopes WHERE substr(folder, 1, 32) = ?1 AND purged = 0)"
    /// Selects the ID of the live row with the folder `?1`; null if that generation was purged.
    static let liveFolder = "(SELECT id FROM scopes WHERE folder = ?1 AND purged = 0)"

    /// Selects the ID of the live row of the scope with this hash, or of all live rows if it is null. All other rows are
    /// being purged. Compares hashes, because the row of a recovered scope may lack the scope's name.
    ///
    /// - Parameter hash: an SQL expression.
    static func live(orAll hash: String) -> String {
        "(SELECT id FROM scopes WHERE purged = 0 AND (\(hash) IS NULL OR substr(folder, 1, 32) = \(hash)))"
    }

    // MARK: Generations

    /// Returns the current generation of the scope. Each purge increases the generation; results of work that began in
    /// an earlier generation must not be stored. Throws `CacheFailure.scopeChanged` if the run uses the current scope
    /// and another scope has become current.
    package func generation(of scope: ActiveScope) throws -> Int64 {
        if try scope.followsCurrent && database.currentScope() ?? .standard != scope.name
            || scope.followedRoot.map({ try $0.currentScope() ?? .standard != scope.name }) == true
        {
            throw CacheFailure.scopeChanged(scope: scope.name.text)
        }
        return try live(scope.name).generation
    }

    /// Throws `CacheFailure.scopeChanged` if the generation was purged, or if the run uses the current scope and
    /// another scope has become current.
    package func check(_ generation: Int64, of scope: ActiveScope) throws {
        if try self.generation(of: scope) != generation { throw CacheFailure.scopeChanged(scope: scope.name.text) }
    }

    /// The generation of scopes without a row.
    func firstGeneration() throws -> Int64 { try database.setting(.firstGeneration).flatMap(Int64.init) ?? 0 }

    /// Returns the generation that the scope had when this method was first called for it.
    func firstSeenGeneration(of scope: ScopeName) throws -> Int64 {
        if let known = connection.firstSeenGenerations[scope.hash] { return known }
        let generation = try live(scope).generation
        connection.firstSeenGenerations[scope.hash] = generation
        return generation
    }

    /// Returns the live generation of each scope, by the scope's hash, and the generation of scopes without a row.
    func generations() throws -> (known: [String: Int64], other: Int64) {
        let rows = try database.all("SELECT folder, generation FROM scopes WHERE purged = 0") {
            (String($0.string(0).prefix(32)), $0.int64(1))
        }
        return (Dictionary(rows) { max($0, $1) }, try firstGeneration())
    }

    func folder(of scope: ScopeName) throws -> String { scope.folder(generation: try live(scope).generation) }

    // MARK: Rows

    /// Returns the live row of a scope (nil before the first write), the generation, and whether the row already stores
    /// the scope's name.
    func live(_ scope: ScopeName) throws -> (id: Int64?, generation: Int64, isNamed: Bool) {
        let row = try database.first(
            "SELECT id, generation, name FROM scopes WHERE substr(folder, 1, 32) = ?1 AND purged = 0", Value(scope.hash)
        ) { (id: $0.int64(0), generation: $0.int64(1), isNamed: $0.string(2) == scope.text) }
        if let row { return row }
        // If the index was lost, recovered files stay in the folder of their generation.
        let latest = try connection.mayLackRows() ? root.latestGeneration(of: scope.hash) : 0
        return (nil, max(try firstGeneration(), latest), true)
    }

    /// Returns the ID of the live row with this folder, or nil if the generation was purged. Valid within the
    /// transaction.
    func live(folder: String) throws -> Int64? {
        try database.first("SELECT id FROM scopes WHERE folder = ?1 AND purged = 0", Value(folder)) { $0.int64(0) }
    }

    /// Returns the live row of a scope or of all scopes, sorted by name.
    func rows(of scope: ScopeName? = nil) throws -> [ScopeRow] {
        try database.all(
            """
            SELECT id, name, folder, entries, bytes FROM scopes
            WHERE purged = 0 AND (?1 IS NULL OR substr(folder, 1, 32) = ?1) ORDER BY name, id
            """, Value(scope?.hash)
        ) { row in
            ScopeRow(
                id: row.int64(0), name: try scope ?? ScopeName(row.string(1)), folder: row.string(2),
                contents: row.sum(at: 3))
        }
    }

    /// Returns the ID of the live row of a scope, creating the row if necessary. Valid within the transaction.
    ///
    /// Also corrects the row's name: `Recovery.rebuild` gives the row of an unknown scope the name of its folder.
    func make(_ scope: ScopeName) throws -> Int64 {
        let (id, generation, isNamed) = try live(scope)
        guard let id else { return try insert(scope, generation: generation) }
        if !isNamed { try database.run("UPDATE scopes SET name = ?2 WHERE id = ?1", Value(id), Value(scope.text)) }
        return id
    }

    /// Inserts a live row and returns its ID.
    func insert(_ scope: ScopeName, generation: Int64, folder: String? = nil) throws -> Int64 {
        let id = try database.first(
            "INSERT INTO scopes (name, folder, generation) VALUES (?1, ?2, ?3) RETURNING id", Value(scope.text),
            Value(folder ?? scope.folder(generation: generation)), Value(generation)
        ) { $0.int64(0) }
        guard let id else { throw CacheFailure.fault(detail: "a scope is missing after its insertion") }
        return id
    }

    /// Returns the live row of a folder's generation. Creates the row if the scope is unknown. Returns nil if the
    /// generation was purged.
    func makeForRecovery(folder: String, name: ScopeName) throws -> Int64? {
        if let row = try live(folder: folder) { return row }
        let hash = String(folder.prefix(32))
        let isKnown = try database.has(
            "SELECT 1 FROM scopes WHERE folder = ?1 OR substr(folder, 1, 32) = ?2 AND purged = 0", Value(folder),
            Value(hash))
        guard !isKnown, let generation = CacheRoot.generation(ofFolder: folder),
            generation >= max(try firstGeneration(), try root.latestGeneration(of: hash))
        else { return nil }
        return try insert(name, generation: generation, folder: folder)
    }

    /// Returns all scopes and the contents of their live generations, sorted by name. Includes the current scope even
    /// if it has no row.
    func summaries() throws -> [ScopeSummary] {
        let current = try database.currentScope() ?? .standard
        var scopes = try database.all(
            """
            SELECT name, sum(iif(purged, 0, entries)), sum(iif(purged, 0, bytes)), max(generation), max(purged)
            FROM scopes GROUP BY name ORDER BY name
            """
        ) { row in
            let name = try ScopeName(row.string(0))
            return ScopeSummary(
                name: name, contents: row.sum(at: 1), generation: row.int64(3), isCurrent: name == current,
                isPurgePending: row.bool(4))
        }
        if !scopes.contains(where: \.isCurrent) {
            scopes.append(
                ScopeSummary(
                    name: current, contents: EntrySum(), generation: try live(current).generation, isCurrent: true,
                    isPurgePending: false))
            scopes.sort { $0.name.text < $1.name.text }
        }
        return scopes
    }
}
