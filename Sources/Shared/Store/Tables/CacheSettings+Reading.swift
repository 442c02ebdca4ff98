import Support

/// Read-only queries for completions. They create and repair nothing, and never wait for a lock.
///
/// Methods throw `CacheFailure`, `UnsafePath` or `SystemFailure` if an index cannot be read.
extension CacheSettings {
    /// Returns the names of all scopes, then the name of the current scope.
    public func scopeNames() throws -> [String] {
        let names = try read { try $0.all("SELECT name FROM scopes WHERE purged = 0") { $0.string(0) } }
        return names.flatMap(\.self) + [try currentScope().text]
    }

    /// Returns the keys with this prefix among the newest 10,000 entries. Ignores older entries, because no SQL index
    /// contains keys.
    public func keys(beginningWith text: String) throws -> [String] {
        // `+` keeps SQLite from using `entries_by_name`, so that it reads the rows in file order.
        let sql = """
            SELECT key FROM entries
            WHERE id > (SELECT max(id) FROM entries) - \(Self.readEntries) AND +scope = \(ScopeTable.live)
                AND kind = 0 AND instr(key, ?2) = 1
            """
        let scope = try currentScope()
        return try read(scope) { try $0.all(sql, Value(scope.hash), Value(text)) { $0.string(0) } }.flatMap(\.self)
    }

    /// Returns a metadata item from the cache on disk, or else from a cache in memory.
    package func metadata(_ name: String, in collection: String) throws -> Metadata? {
        let scope = try currentScope()
        return try read(scope) {
            try MetadataTable(database: $0).items(in: collection, of: scope, from: name, through: name).first
        }.compactMap(\.self).first
    }

    /// The number of entries that `keys` reads. Takes about 10 ms.
    private static let readEntries = 10_000

    private func currentScope() throws -> ScopeName {
        try scope ?? read { try $0.currentScope() }.compactMap(\.self).first ?? .standard
    }

    /// Runs `body` on the cache on disk, then on the caches in memory.
    private func read<Result>(_ scope: ScopeName? = nil, _ body: (Database) throws -> Result) throws -> [Result] {
        let places = try MemoryPlace.all(root: root, scope: scope, in: places)
        return try ([cacheRoot] + places.map { CacheRoot($0.path) }).filter { try $0.hasIndex }.map { root in
            try root.checkIndex()
            // Without a write-ahead log, SQLite would create one, except for an immutable database.
            let hasLog = try ["-wal", "-shm"].allSatisfy { try root.file(CacheRoot.index + $0) != nil }
            return try body(Database(path: root.index, root: root.path, access: hasLog ? .reading : .immutable))
        }
    }
}
