import Support

extension Index {
    /// Selects the ID of the live row of the scope with the hash `?1`. Part of each statement, because another process
    /// may purge the scope at any time and SQLite may reuse the ID.
    static let liveScope = "(SELECT id FROM scopes WHERE substr(folder, 1, 32) = ?1 AND purged = 0)"
    /// Selects the ID of the live row with the folder `?1`; null if that generation was purged.
    static let liveFolder = "(SELECT id FROM scopes WHERE folder = ?1 AND purged = 0)"

    /// Selects the IDs of all live rows. All other rows are being purged.
    static let liveScopes = "(SELECT id FROM scopes WHERE purged = 0)"

    /// Selects the ID of the live row of the scope named by a parameter, or of all live rows if the parameter is null.
    static func liveScopes(named parameter: String) -> String {
        "(SELECT id FROM scopes WHERE purged = 0 AND name = coalesce(\(parameter), name))"
    }

    static func currentScope(_ database: Database) throws -> ScopeName? {
        try database.first("SELECT value FROM settings WHERE name = 'current_scope'") { try ScopeName($0.string(0)) }
    }

    /// The current scope of a root, read without a `CacheStore`. Nil if the index is missing or damaged.
    package static func currentScope(below root: CacheRoot) throws -> ScopeName? {
        guard try root.hasIndex else { return nil }
        do {
            let database = try openExisting(root)
            return try Schema.version(of: database) == 0 ? nil : currentScope(database)
        } catch CacheFailure.indexDamaged {
            return nil
        }
    }

    package func currentScope() throws -> ScopeName? { try perform { try Self.currentScope($0.database) } }

    /// Returns the current generation of the scope. Each purge increases the generation; results of work that began in
    /// an earlier generation must not be stored. Throws `CacheFailure.scopeChanged` if the run uses the current scope
    /// and another scope has become current.
    package func generation(of scope: ActiveScope) throws -> Int64 { try perform { try $0.generation(of: scope) } }

    func folder(of scope: ScopeName) throws -> String {
        try perform { scope.folder(generation: try $0.live(scope).generation) }
    }

    /// Throws `CacheFailure.scopeChanged` if the generation was purged, or if the run uses the current scope and
    /// another scope has become current.
    package func check(_ generation: Int64, of scope: ActiveScope) throws {
        try perform { try $0.check(generation, of: scope) }
    }

    /// Returns all scopes and the contents of their live generations, sorted by name. Includes the current scope even
    /// if it has no row.
    func scopes() throws -> [ScopeSummary] {
        try perform { connection in
            let current = try Self.currentScope(connection.database) ?? .standard
            var isCurrentMissing = true
            var scopes = try connection.database.all(
                """
                SELECT name, sum(iif(purged, 0, entries)), sum(iif(purged, 0, bytes)), max(generation), max(purged)
                FROM scopes GROUP BY name ORDER BY name
                """
            ) { row in
                let name = try ScopeName(row.string(0))
                if name == current { isCurrentMissing = false }
                return ScopeSummary(
                    name: name, contents: EntrySum(entries: row.int(1), bytes: row.int(2)),
                    generation: row.int64(3), isCurrent: name == current, isPurgePending: row.bool(4))
            }
            if isCurrentMissing {
                scopes.append(
                    ScopeSummary(
                        name: current, contents: EntrySum(), generation: try connection.live(current).generation,
                        isCurrent: true, isPurgePending: false))
                scopes.sort { $0.name.text < $1.name.text }
            }
            return scopes
        }
    }
}

/// The scope of a run.
package struct ActiveScope: Sendable {
    package let name: ScopeName
    /// Whether the user named no scope, so that the run uses the current scope.
    package var followsCurrent = false
    /// For a cache in memory, the root on disk that determines the current scope.
    package var followedRoot: CacheRoot?
}

extension Index.Connection {
    package func generation(of scope: ActiveScope) throws -> Int64 {
        if try scope.followsCurrent && Index.currentScope(database) ?? .standard != scope.name
            || scope.followedRoot.map({ try Index.currentScope(below: $0) ?? .standard != scope.name }) == true
        {
            throw CacheFailure.scopeChanged(scope: scope.name.text)
        }
        return try live(scope.name).generation
    }

    package func check(_ generation: Int64, of scope: ActiveScope) throws {
        if try self.generation(of: scope) != generation { throw CacheFailure.scopeChanged(scope: scope.name.text) }
    }

    /// Returns the live row of a scope (nil before the first write), the generation, and whether the row already stores
    /// the scope's name.
    func live(_ scope: ScopeName) throws -> (id: Int64?, generation: Int64, isNamed: Bool) {
        let row = try database.first(
            "SELECT id, generation, name FROM scopes WHERE substr(folder, 1, 32) = ?1 AND purged = 0", Value(scope.hash)
        ) { (id: $0.int64(0), generation: $0.int64(1), isNamed: $0.string(2) == scope.text) }
        if let row { return row }
        // If the index was lost, recovered files stay in the folder of their generation.
        let latest = try mayLackRows() ? root.latestGeneration(of: scope.hash) : 0
        return (nil, max(try firstGeneration(), latest), true)
    }

    /// The generation of scopes without a row.
    func firstGeneration() throws -> Int64 {
        try database.first("SELECT value FROM settings WHERE name = 'first_generation'") { $0.int64(0) } ?? 0
    }

    /// Returns the ID of the live row with this folder, or nil if the generation was purged. Valid within the
    /// transaction.
    func liveRow(folder: String) throws -> Int64? {
        try database.first("SELECT id FROM scopes WHERE folder = ?1 AND purged = 0", Value(folder)) { $0.int64(0) }
    }

    /// Returns the ID of the live row of a scope, creating the row if necessary. Valid within the transaction.
    ///
    /// Also corrects the row's name: `Recovery.rebuild` gives the row of an unknown scope the name of its folder.
    func makeScope(_ scope: ScopeName) throws -> Int64 {
        let (id, generation, isNamed) = try live(scope)
        guard let id else { return try addLiveRow(scope, generation: generation) }
        if !isNamed { try database.run("UPDATE scopes SET name = ?2 WHERE id = ?1", Value(id), Value(scope.text)) }
        return id
    }

    func addLiveRow(_ scope: ScopeName, generation: Int64) throws -> Int64 {
        let id = try database.first(
            "INSERT INTO scopes (name, folder, generation) VALUES (?1, ?2, ?3) RETURNING id", Value(scope.text),
            Value(scope.folder(generation: generation)), Value(generation)
        ) { $0.int64(0) }
        guard let id else { throw CacheFailure.fault(detail: "a scope is missing after its insertion") }
        return id
    }
}
