import Libc
import Support

/// How an index is opened, begun, brought to its layout, and set aside.
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

    /// The index that is there, if it can be used as it is; an empty one where there is none and none is to be made.
    /// Nil if something must be done first.
    private static func usable(_ root: CacheRoot, making: Bool, tallies: Tallies) throws -> Connection? {
        guard try root.hasIndex else {
            try root.checkIndex()
            guard try !making && root.isAbsent() else { return nil }
            let database = try Database.inMemory(root: root.path)
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
            // Looked at once more where nobody else changes it; but a file of another program must not go.
            try root.requireCache()
            return nil
        } catch CacheFailure.io where (try? root.indexIdentity() != identity) == true {
            // It was removed or replaced since it was looked for: opened or begun where nobody else changes it.
            return nil
        }
    }

    /// The database as it is, ready for use; for reading only where nothing can be written. Throws
    /// `CacheFailure.notACache` for another program's.
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
            // SQLite opens a file for reading after any failure to open it for writing.
            if database.isReadOnly, root.index.withPathPointer({ access($0, W_OK) }) == 0 {
                database = try Database(path: root.index, root: root.path)
            }
            // Enough for a cache: a crash of the machine may lose the last transactions, never the database. It
            // spares a wait for the disk at each commit.
            try database.execute("PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON")
            return try checked(database)
        } catch CacheFailure.io where isUnwritable(root) {
            // Neither the log nor the memory shared with others can be made here: all there is to read is the
            // database proper.
            return try checked(Database(path: root.index, root: root.path, access: .immutable))
        }
    }

    /// Whether the root is known not to be writable.
    private static func isUnwritable(_ root: CacheRoot) -> Bool {
        root.path.withPathPointer { access($0, W_OK) } != 0 && [EACCES, EPERM, EROFS].contains(errno)
    }

    /// Makes an index of the current layout, or brings one to it. To be called under the set-up lock.
    private static func setUp(_ root: CacheRoot, tallies: Tallies) throws -> Connection {
        if try !root.hasIndex { try begin(root) }
        let identity = try root.indexIdentity()
        let (database, origin) = try openAny(root)
        if origin == .empty {
            // An earlier version was killed before it had come to the first table.
            try root.noteLostIndex()
            try database.execute("PRAGMA journal_mode = WAL")
        }
        try Schema.current.migrate(database, root: root.path)
        return Connection(root: root, database: database, identity: identity, tallies: tallies)
    }

    /// Puts a new index in place. It is made under another name and moved when it is whole: nobody ever opens half an
    /// index; and nobody has this one open while the descriptor is closed by which it is waited for, which would let go
    /// of all locks that SQLite has on it in this process (POSIX; sqlite.org/howtocorrupt.html §2.2).
    private static func begin(_ root: CacheRoot) throws {
        try root.requireCache()
        try root.noteLostIndex()
        let new = CacheRoot.index + ".new"
        // What a killed process has left, and the log of an index that is gone: it must never be taken for this one's.
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

    /// Begins a new index in place of a damaged one, and takes over what has no files by which it could be known again.
    /// To be called under the set-up lock.
    ///
    /// - Parameter detail: what speaks for damage, which SQLite is asked to confirm; nil if it has.
    private static func setUpAnew(_ root: CacheRoot, tallies: Tallies, detail: String?, log: Log) throws -> Connection {
        if let detail { try requireDamage(root, detail: detail) }
        try setAside(root, detail: detail, log: log)
        let connection = try setUp(root, tallies: tallies)
        do {
            let count = try connection.adoptMetadata(now: Timestamp.now())
            if count > 0 { log.detail("\(count) records of metadata were taken over from the damaged index") }
        } catch {
            log.detail("no more metadata was taken over from the damaged index: \(failure(of: error).message)")
        }
        return connection
    }

    /// Throws `CacheFailure.fault` if SQLite finds nothing wrong with the index: the mistake is then ours, and must not
    /// cost anybody what is in it.
    private static func requireDamage(_ root: CacheRoot, detail: String) throws {
        do {
            guard try complaints(root)?.isEmpty == true else { return }
        } catch CacheFailure.indexDamaged {
            return
        }
        throw CacheFailure.fault(
            detail: "\(root.index) is whole, but cannot be used: \(detail); nothing was changed")
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

    /// A connection to an empty index in place of one to a damaged index, unless another process was faster.
    static func replacement(
        for connection: Connection, root: CacheRoot, detail: String?, log: Log, interruption: Interruption
    ) throws -> Connection {
        // Later tools may have brought it to their layout under a running tool: theirs is not damaged.
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

    /// Renames the index and what belongs to it, in place of an older one that was set aside. The log goes first: an
    /// empty index must never find it.
    private static func setAside(_ root: CacheRoot, detail: String?, log: Log) throws {
        let damaged = CacheRoot.index + ".damaged"
        for suffix in ["-wal", "-shm", ""] {
            do {
                try root.rename(CacheRoot.index + suffix, to: damaged + suffix)
            } catch let failure as SystemFailure {
                guard failure.isMissing else {
                    throw CacheFailure.io(detail: "cannot set it aside", root: root.path, errno: failure.errno)
                }
                // An older one's log belongs to no other database.
                root.remove(damaged + suffix)
            }
        }
        log.warning(
            "the index of the cache was damaged\(detail.map { " (\($0))" } ?? ""); it is kept as"
                + " \(root.index).damaged, and a new one has been begun")
    }
}
