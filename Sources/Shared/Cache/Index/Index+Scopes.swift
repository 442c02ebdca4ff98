import Support

extension Index {
    /// The scope last switched to; nil where nobody ever has.
    static func currentScope(_ database: Database) throws -> ScopeName? {
        try database.first("SELECT value FROM settings WHERE name = 'current_scope'") { try ScopeName($0.string(0)) }
    }

    /// The same of a root that is only looked at; nil where there is none, or none that can be read.
    static func currentScope(below root: CacheRoot) throws -> ScopeName? {
        guard root.indexIdentity() != nil else { return nil }
        do {
            let database = try openExisting(root)
            return try Schema.version(of: database) == 0 ? nil : currentScope(database)
        } catch CacheFailure.indexDamaged {
            return nil
        }
    }

    /// How often the scope was switched away from or emptied; what began in an earlier generation must not be stored.
    func generation() throws -> Int64 {
        try perform { connection in
            try connection.database.first("SELECT generation FROM scopes WHERE folder = ?1", Value(scope.folder)) {
                $0.int64(0)
            } ?? 0
        }
    }

    /// Throws `CacheFailure.scopeChanged` where the scope is not in `generation` any more.
    func check(generation: Int64, in connection: Connection) throws {
        let current = try connection.database.first(
            "SELECT generation FROM scopes WHERE folder = ?1", Value(scope.folder)) { $0.int64(0) }
        if current ?? 0 != generation { throw CacheFailure.scopeChanged(scope: scope.text) }
    }
}

extension Index.Connection {
    /// The row of a scope; nil before anything was written to it.
    mutating func findScope(_ scope: ScopeName) throws -> Int64? {
        if let scopeID { return scopeID }
        scopeID = try database.first("SELECT id FROM scopes WHERE folder = ?1", Value(scope.folder)) { $0.int64(0) }
        return scopeID
    }

    /// The row of a scope, made where there is none. To be called within a transaction.
    mutating func makeScope(_ scope: ScopeName) throws -> Int64 {
        if let found = try findScope(scope) { return found }
        return try database.first(
            "INSERT INTO scopes (name, folder) VALUES (?1, ?2) RETURNING id", Value(scope.text), Value(scope.folder)
        ) { $0.int64(0) } ?? 0
    }
}
