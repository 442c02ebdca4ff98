import Libc
import Support

/// Opening, creating, migrating and replacing an index.
extension Index {
    static func open(
        _ root: CacheRoot, making: Bool, log: Log, interruption: Interruption, tallies: Tallies = Tallies()
    ) throws -> Connection {
        try root.refresh()
        return try waitingWhileBusy(interruption) {
            if let connection = try usable(root, making: making, tallies: tallies) { return connection }
            try makeRoot(root)
            let lock = try KeyLock(root: root, CacheRoot.setupLock, interruption: interruption)
            defer { withExtendedLifetime(lock) {} }
            do {
                return try setUp(root, tallies: tallies)
            } catch CacheFailure.indexDamaged(let detail, _) {
                return try setUpAnew(root, tallies: tallies, detail: detail, log: log)
            }
        }
    }

    /// Returns a connection if the index needs no set-up. If the root is missing and must not be created, returns a
    /// connection to an empty in-memory database. Returns nil if set-up is necessary.
    private static func usable(_ root: CacheRoot, making: Bool, tallies: Tallies) throws -> Connection? {
        guard try root.hasIndex else {
            try root.checkIndex()
            guard try !making && root.isAbsent() else { return nil }
            let database = try Database(path: ":memory:", root: root.path)
            try Schema.current.begin(database)
            return Connection(root: root, database: database, identity: nil, tallies: tallies)
        }
        let identity = try root.indexIdentity()
        do {
            let (database, origin) = try openAny(root)
            let version = try Schema.version(of: database)
            if version > Schema.current.version {
                throw CacheFailure.newerLayout(found: version, supported: Schema.current.version, root: root.path)
            }
            if origin == .empty { try root.requireCache() }
            let isReady = version == Schema.current.version && (origin == .ours || database.isReadOnly)
            return isReady ? Connection(root: root, database: database, identity: identity, tallies: tallies) : nil
        } catch CacheFailure.indexDamaged {
            // Another program's file must not be replaced. Set-up checks again under its lock whether the index is
            // damaged.
            try root.requireCache()
            return nil
        } catch CacheFailure.io where (try? root.indexIdentity() != identity) == true {
            // The file was removed or replaced in the meantime. Set-up opens it again under its lock.
            return nil
        }
    }

    /// Opens an index without migrating it, read-only if it cannot be written. Throws `CacheFailure.notACache` for the
    /// database of another program.
    static func openExisting(_ root: CacheRoot) throws -> Database { try openAny(root).0 }

    private static func openAny(_ root: CacheRoot) throws -> (Database, Schema.Origin) {
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

    /// Creates or migrates the index. The caller holds the set-up lock.
    private static func setUp(_ root: CacheRoot, tallies: Tallies) throws -> Connection {
        if try !root.hasIndex { try begin(root) }
        let identity = try root.indexIdentity()
        let (database, origin) = try openAny(root)
        if origin == .empty {
            // A process of an earlier version was killed before it created the first table.
            try root.noteLostIndex()
            try database.execute("PRAGMA journal_mode = WAL")
        }
        try Schema.current.migrate(database, root: root.path)
        return Connection(root: root, database: database, identity: identity, tallies: tallies)
    }

    /// Creates an index under a temporary name and renames it, so that no process opens an incomplete index. The index
    /// must not be opened before the descriptor that syncs it is closed, because closing any descriptor of a file
    /// releases all SQLite locks of this process on the file (POSIX; sqlite.org/howtocorrupt.html §2.2).
    private static func begin(_ root: CacheRoot) throws {
        try root.requireCache()
        try root.noteLostIndex()
        let new = CacheRoot.index + ".new"
        // Remove files of a killed process, and the log of a lost index, which SQLite must never apply to this index.
        for name in [new] + CacheRoot.companions.flatMap({ [new + $0, CacheRoot.index + $0] }) { root.remove(name) }
        try withExtendedLifetime(root.openToWrite(new, O_RDWR | O_EXCL)) { file in
            try withExtendedLifetime(Database(path: root.path(of: new), root: root.path)) {
                try Schema.current.begin($0)
            }
            try file.synchronize()
        }
        for companion in CacheRoot.companions { root.remove(new + companion) }
        try root.rename(new, to: CacheRoot.index)
    }

    /// Replaces a damaged index and copies its metadata, which is stored nowhere else. The caller holds the set-up
    /// lock.
    ///
    /// - Parameter detail: the error that suggests damage, which SQLite's integrity check must confirm; nil if the
    ///   check has already failed.
    private static func setUpAnew(_ root: CacheRoot, tallies: Tallies, detail: String?, log: Log) throws -> Connection {
        if let detail { try requireDamage(root, detail: detail) }
        try setAside(root, detail: detail, log: log)
        let connection = try setUp(root, tallies: tallies)
        do {
            let count = try connection.recoverMetadata(now: Timestamp.now())
            if count > 0 { log.detail("recovered \(count) metadata records from the damaged index") }
        } catch {
            log.detail("cannot recover more metadata from the damaged index: \(failure(of: error).message)")
        }
        return connection
    }

    /// Throws `CacheFailure.fault` if SQLite finds no damage: the cause of the error is then a bug in this program, and
    /// the index must stay.
    private static func requireDamage(_ root: CacheRoot, detail: String) throws {
        do {
            guard try complaints(root)?.isEmpty == true else { return }
        } catch CacheFailure.indexDamaged {
            return
        }
        throw CacheFailure.fault(
            detail: "\(root.index) is intact, but cannot be used: \(detail); nothing was changed")
    }

    private static func makeRoot(_ root: CacheRoot) throws {
        do {
            try root.make()
        } catch let failure as SystemFailure where [EROFS, EACCES, EPERM].contains(failure.errno) {
            throw try root.indexIdentity() == nil
                ? CacheFailure.cannotMakeRoot(path: root.path, errno: failure.errno)
                : CacheFailure.readOnly(root: root.path)
        }
    }

    /// Replaces a damaged index, or opens the replacement that another process has created.
    static func replacement(
        for connection: Connection, root: CacheRoot, detail: String?, log: Log, interruption: Interruption
    ) throws -> Connection {
        // A later version of the tools may have migrated the file during this run, which is not damage.
        if let found = try? Schema.version(of: connection.database), found > Schema.current.version {
            throw CacheFailure.newerLayout(found: found, supported: Schema.current.version, root: root.path)
        }
        try makeRoot(root)
        do {
            let lock = try KeyLock(root: root, CacheRoot.setupLock, interruption: interruption)
            defer { withExtendedLifetime(lock) {} }
            if try root.indexIdentity() == connection.identity {
                return try setUpAnew(root, tallies: connection.tallies, detail: detail, log: log)
            }
        }
        return try open(root, making: true, log: log, interruption: interruption, tallies: connection.tallies)
    }

    /// Renames the index and its companions, replacing an earlier damaged index. Renames the write-ahead log first,
    /// because it must not be applied to a new, empty index.
    private static func setAside(_ root: CacheRoot, detail: String?, log: Log) throws {
        let damaged = CacheRoot.index + ".damaged"
        for suffix in ["-wal", "-shm", ""] {
            do {
                try root.rename(CacheRoot.index + suffix, to: damaged + suffix)
            } catch let failure as SystemFailure {
                guard failure.isMissing else {
                    throw CacheFailure.io(detail: "cannot rename it", root: root.path, errno: failure.errno)
                }
                // There is nothing to rename. Remove the earlier file, because its log must not be applied to another
                // index.
                root.remove(damaged + suffix)
            }
        }
        log.warning(
            "the index of the cache was damaged\(detail.map { " (\($0))" } ?? ""); it was renamed to"
                + " \(root.index).damaged, and the cache continues with a new index")
    }
}
