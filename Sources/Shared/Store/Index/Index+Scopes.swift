import Support

extension Index {
    /// The number of the live row of the scope whose hash is `?1`. Part of each statement rather than asked for once:
    /// another process may purge the scope at any time, and its number may then become another scope's.
    static let liveScope = "(SELECT id FROM scopes WHERE substr(folder, 1, 32) = ?1 AND purged = 0)"
    /// The same for one generation, whose folder is `?1`: nothing where that is over.
    static let liveFolder = "(SELECT id FROM scopes WHERE folder = ?1 AND purged = 0)"

    /// The numbers of all live rows: what others have is being purged.
    static let liveScopes = "(SELECT id FROM scopes WHERE purged = 0)"

    /// The scope named by a parameter, or all scopes if that is null.
    static func liveScopes(named parameter: String) -> String {
        "(SELECT id FROM scopes WHERE purged = 0 AND name = coalesce(\(parameter), name))"
    }

    /// The scope last switched to; nil if nobody ever has.
    static func currentScope(_ database: Database) throws -> ScopeName? {
        try database.first("SELECT value FROM settings WHERE name = 'current_scope'") { try ScopeName($0.string(0)) }
    }

    /// The same of a root that is only looked at; nil if there is none, or none that can be read.
    package static func currentScope(below root: CacheRoot) throws -> ScopeName? {
        guard try root.hasIndex else { return nil }
        do {
            let database = try openExisting(root)
            return try Schema.version(of: database) == 0 ? nil : currentScope(database)
        } catch CacheFailure.indexDamaged {
            return nil
        }
    }

    /// The same at this moment.
    package func currentScope() throws -> ScopeName? { try perform { try Self.currentScope($0.database) } }

    /// How often the scope was emptied; what began in an earlier generation must not be stored. Throws
    /// `CacheFailure.scopeChanged` if the run took the scope that was current, and another one is by now.
    package func generation(of scope: ActiveScope) throws -> Int64 { try perform { try $0.generation(of: scope) } }

    /// The folder of the live generation.
    func folder(of scope: ScopeName) throws -> String {
        try perform { scope.folder(generation: try $0.live(scope).generation) }
    }

    /// Throws `CacheFailure.scopeChanged` if the scope is not in `generation` any more, or not current any more
    /// although the run has it for that reason alone.
    package func check(_ generation: Int64, of scope: ActiveScope) throws {
        try perform { try $0.check(generation, of: scope) }
    }

    /// All scopes by name, the current one included, with what their live generations hold.
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
                    name: name, contents: ScopeContents(entries: row.int(1), bytes: row.int(2)),
                    generation: row.int64(3), isCurrent: name == current, isPurgePending: row.bool(4))
            }
            if isCurrentMissing {
                scopes.append(
                    ScopeSummary(
                        name: current, contents: ScopeContents(), generation: try connection.live(current).generation,
                        isCurrent: true, isPurgePending: false))
                scopes.sort { $0.name.text < $1.name.text }
            }
            return scopes
        }
    }
}

/// The scope that a run works in.
package struct ActiveScope: Sendable {
    package let name: ScopeName
    /// Whether nobody named the scope, so that it was the current one when the root was opened.
    package var followsCurrent = false
    /// The root that says instead whether the scope is still current: that on the disk, for a cache in memory.
    package var followedRoot: CacheRoot?
}

extension Index.Connection {
    /// See `Index.generation(of:)`.
    package func generation(of scope: ActiveScope) throws -> Int64 {
        if scope.followsCurrent, try Index.currentScope(database) ?? .standard != scope.name {
            throw CacheFailure.scopeChanged(scope: scope.name.text)
        }
        if let root = scope.followedRoot, try Index.currentScope(below: root) ?? .standard != scope.name {
            throw CacheFailure.scopeChanged(scope: scope.name.text)
        }
        return try live(scope.name).generation
    }

    /// See `Index.check`.
    package func check(_ generation: Int64, of scope: ActiveScope) throws {
        if try self.generation(of: scope) != generation {
            throw CacheFailure.scopeChanged(scope: scope.name.text)
        }
    }

    /// The live row of a scope, nil before anything was written to it, the scope's generation, and whether the row
    /// bears its name.
    func live(_ scope: ScopeName) throws -> (id: Int64?, generation: Int64, isNamed: Bool) {
        let row = try database.first(
            "SELECT id, generation, name FROM scopes WHERE substr(folder, 1, 32) = ?1 AND purged = 0", Value(scope.hash)
        ) { (id: $0.int64(0), generation: $0.int64(1), isNamed: $0.string(2) == scope.text) }
        if let row { return row }
        // Files of a lost index are taken in again where they lie.
        let latest = try root.awaitsRebuild ? root.latestGeneration(of: scope.hash) : 0
        return (nil, max(try firstGeneration(), latest), true)
    }

    /// The generation of scopes of which nothing is known.
    func firstGeneration() throws -> Int64 {
        try database.first("SELECT value FROM settings WHERE name = 'first_generation'") { $0.int64(0) } ?? 0
    }

    /// The number of the live row whose generation has this folder; nil if that is over. Right within the same
    /// transaction.
    func liveRow(folder: String) throws -> Int64? {
        try database.first("SELECT id FROM scopes WHERE folder = ?1 AND purged = 0", Value(folder)) { $0.int64(0) }
    }

    /// The number of a scope's live row, which is made where there is none. To be called within a transaction, and
    /// right for as long as that lasts.
    ///
    /// The process that names the scope names the row too, which bears its folder's name where the index was lost and
    /// nobody had yet (`CacheStore.rebuild`).
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
        guard let id else { throw CacheFailure.fault(detail: "a scope was written and is not there") }
        return id
    }
}
