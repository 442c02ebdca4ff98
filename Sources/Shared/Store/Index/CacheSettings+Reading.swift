import Support

/// What is in caches, read without a trace: nothing is made, changed or mended, and nobody is waited for.
///
/// All of these throw `CacheFailure`, `UnsafePlace` or `SystemFailure` if an index cannot be read as it is.
extension CacheSettings {
    /// The names of all scopes, and that of the current one.
    public func scopeNames() throws -> [String] {
        let places = try MemoryPlace.all(root: root, in: places)
        let names = try read([cacheRoot] + places.map { CacheRoot($0.path) }) { database in
            try database.all("SELECT name FROM scopes WHERE purged = 0") { $0.string(0) }
        }
        return names.flatMap(\.self) + [try currentScope().text]
    }

    /// Keys that begin with a text, among the entries that were made last, however they have been used since: an index
    /// by keys would cost each entry more than this is worth.
    public func keys(beginningWith text: String) throws -> [String] {
        // `+` keeps SQLite from the index by scopes, which leads to the rows all over the file.
        let sql = """
            SELECT key FROM entries
            WHERE id > (SELECT max(id) FROM entries) - \(Self.readEntries) AND +scope = \(Index.liveScope)
                AND kind = 0 AND instr(key, ?2) = 1
            """
        let scope = try currentScope()
        return try readScope(scope) { try $0.all(sql, Value(scope.hash), Value(text)) { $0.string(0) } }.flatMap(\.self)
    }

    /// The metadata of a name, on the disk or in memory; nil if there is none.
    package func metadata(_ name: String, in collection: String) throws -> Metadata? {
        let scope = try currentScope()
        return try readScope(scope) { database in
            try database.first(
                Index.selectMetadata, Value(scope.hash), Value(collection), Value(name), Value(name),
                read: Metadata.init)
        }.compactMap(\.self).first
    }

    /// How many entries `keys` looks at: about 10 ms.
    private static let readEntries = 10_000

    private func currentScope() throws -> ScopeName {
        try scope ?? read([cacheRoot], Index.currentScope).first.flatMap(\.self) ?? .standard
    }

    /// Reads the caches of one scope, on the disk and in memory.
    private func readScope<Result>(_ scope: ScopeName, _ body: (Database) throws -> Result) throws -> [Result] {
        let places = try MemoryPlace.all(root: root, scope: scope, in: places)
        return try read([cacheRoot] + places.map { CacheRoot($0.path) }, body)
    }

    private func read<Result>(_ roots: [CacheRoot], _ body: (Database) throws -> Result) throws -> [Result] {
        try roots.filter { try $0.hasIndex }.map { root in
            try root.checkIndex()
            // A log that is missing would be made.
            let hasLog = try ["-wal", "-shm"].allSatisfy { try root.file(CacheRoot.index + $0) != nil }
            let database = try Database(path: root.index, root: root.path, access: hasLog ? .reading : .immutable)
            return try body(database)
        }
    }
}
