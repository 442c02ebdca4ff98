import Support

/// Names for completions. These calls create, change and repair nothing, and do not wait for locks.
///
/// All of them throw `CacheFailure`, `UnsafePlace` or `SystemFailure` if an index cannot be read as it is.
extension CacheSettings {
    /// The names of all scopes, and that of the current one.
    public func scopeNames() throws -> [String] {
        let names = try read { try $0.all("SELECT name FROM scopes WHERE purged = 0") { $0.string(0) } }
        return names.flatMap(\.self) + [try currentScope().text]
    }

    /// The keys that begin with a text, among those of the newest entries: no SQL index has keys.
    public func keys(beginningWith text: String) throws -> [String] {
        // `+` makes SQLite read the rows in their order in the file, not by `entries_by_name`.
        let sql = """
            SELECT key FROM entries
            WHERE id > (SELECT max(id) FROM entries) - \(Self.readEntries) AND +scope = \(Index.liveScope)
                AND kind = 0 AND instr(key, ?2) = 1
            """
        let scope = try currentScope()
        return try read(scope) { try $0.all(sql, Value(scope.hash), Value(text)) { $0.string(0) } }.flatMap(\.self)
    }

    /// The metadata with a name, on disk or in memory; nil if there is none.
    package func metadata(_ name: String, in collection: String) throws -> Metadata? {
        let scope = try currentScope()
        return try read(scope) { database in
            try database.first(
                Index.selectMetadata, Value(scope.hash), Value(collection), Value(name), Value(name),
                read: Metadata.init)
        }.compactMap(\.self).first
    }

    /// The number of entries that `keys` reads: about 10 ms.
    private static let readEntries = 10_000

    private func currentScope() throws -> ScopeName {
        try scope ?? read { try Index.currentScope($0) }.compactMap(\.self).first ?? .standard
    }

    /// Reads the cache on disk, then those in memory of one scope or of all.
    private func read<Result>(_ scope: ScopeName? = nil, _ body: (Database) throws -> Result) throws -> [Result] {
        let places = try MemoryPlace.all(root: root, scope: scope, in: places)
        return try ([cacheRoot] + places.map { CacheRoot($0.path) }).filter { try $0.hasIndex }.map { root in
            try root.checkIndex()
            // SQLite would create a missing log.
            let hasLog = try ["-wal", "-shm"].allSatisfy { try root.file(CacheRoot.index + $0) != nil }
            return try body(Database(path: root.index, root: root.path, access: hasLog ? .reading : .immutable))
        }
    }
}
