import Libc
import Support

/// Opening and checking an index without creating or migrating it.
extension Database {
    /// Opens an index, read-only if it cannot be written. Throws `CacheFailure.notACache` for the database of another
    /// program.
    static func index(of root: CacheRoot) throws -> (database: Database, origin: Schema.Origin) {
        try root.checkIndex()
        if let status = try root.status(of: CacheRoot.index) { try root.requireReadable(status, at: root.index) }
        func checked(_ database: Database) throws -> (Database, Schema.Origin) {
            let origin = try Schema.origin(of: database)
            if origin == .foreign { throw CacheFailure.notACache(root: root.path) }
            return (database, origin)
        }
        do {
            var database = try Database(path: root.index, root: root.path)
            // SQLite falls back to read-only access after any failure to open a file for writing; try again.
            if database.isReadOnly, root.index.withPathPointer({ access($0, W_OK) }) == 0 {
                database = try Database(path: root.index, root: root.path)
            }
            // With NORMAL, a commit needs no disk sync. A power failure may lose the last transactions, but never
            // damages the database.
            try database.execute("PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON")
            return try checked(database)
        } catch CacheFailure.io where isUnwritable(root) {
            // The write-ahead log and its shared memory cannot be created in this folder, so read only the main file.
            return try checked(Database(path: root.index, root: root.path, access: .immutable))
        }
    }

    private static func isUnwritable(_ root: CacheRoot) -> Bool {
        root.path.withPathPointer { access($0, W_OK) } != 0 && [EACCES, EPERM, EROFS].contains(errno)
    }

    /// Returns the errors reported by SQLite's integrity check, or nil if there is no index. Reads the whole file and
    /// changes nothing. Throws `CacheFailure.indexDamaged` if the file is not a database, and `newerLayout` if a later
    /// version has migrated it.
    static func complaints(about root: CacheRoot) throws -> [String]? {
        guard try root.hasIndex else { return nil }
        let database = try index(of: root).database
        _ = try Schema.current.supportedVersion(of: database, root: root.path)
        return try database.all("PRAGMA integrity_check(10)") { $0.string(0) }.filter { $0 != "ok" }
    }

    /// Returns the scope last switched to.
    func currentScope() throws -> ScopeName? { try setting(.currentScope).map(ScopeName.init) }
}

extension CacheRoot {
    /// Returns the scope last switched to, read without a `CacheStore`. Returns nil if the index is missing or damaged.
    package func currentScope() throws -> ScopeName? {
        guard try hasIndex else { return nil }
        do {
            let database = try Database.index(of: self).database
            return try Schema.version(of: database) == 0 ? nil : database.currentScope()
        } catch CacheFailure.indexDamaged {
            return nil
        }
    }
}
