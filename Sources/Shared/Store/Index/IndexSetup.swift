import Libc
import Support

/// Opens, creates, migrates and replaces the index of a root.
struct IndexSetup: Sendable {
    let root: CacheRoot
    let log: Log
    let interruption: Interruption

    /// - Parameter making: whether to create a missing root.
    func open(making: Bool) throws -> IndexConnection {
        try root.refresh()
        return try waitingWhileBusy(interruption) {
            if let connection = try usable(making: making) { return connection }
            try makeRoot()
            let lock = try KeyLock(root: root, CacheRoot.setupLock, interruption: interruption)
            defer { withExtendedLifetime(lock) {} }
            do {
                return try setUp()
            } catch CacheFailure.indexDamaged(let detail, _) {
                return try setUpAnew(detail: detail)
            }
        }
    }

    /// Replaces a damaged index, or opens the replacement that another process has created.
    ///
    /// - Parameter detail: see `setUpAnew`.
    func replacement(for connection: IndexConnection, detail: String?) throws -> IndexConnection {
        // A later version of the tools may have migrated the file during this run, which is not damage.
        if let found = try? Schema.version(of: connection.database), found > Schema.current.version {
            throw CacheFailure.newerLayout(found: found, supported: Schema.current.version, root: root.path)
        }
        try makeRoot()
        do {
            let lock = try KeyLock(root: root, CacheRoot.setupLock, interruption: interruption)
            defer { withExtendedLifetime(lock) {} }
            if try root.indexIdentity() == connection.identity { return try setUpAnew(detail: detail) }
        }
        return try open(making: true)
    }

    /// Returns a connection if the index needs no set-up. If the root is missing and must not be created, returns a
    /// connection to an empty in-memory database. Returns nil if set-up is necessary.
    private func usable(making: Bool) throws -> IndexConnection? {
        guard try root.hasIndex else {
            try root.checkIndex()
            guard try !making && root.isAbsent() else { return nil }
            let database = try Database(path: ":memory:", root: root.path)
            try Schema.current.begin(database)
            return IndexConnection(root: root, database: database, identity: nil)
        }
        let identity = try root.indexIdentity()
        do {
            let (database, origin) = try Database.index(of: root)
            let version = try Schema.current.supportedVersion(of: database, root: root.path)
            if origin == .empty { try root.requireCache() }
            let isReady =
                try version == Schema.current.version
                && (database.isReadOnly || origin == .ours && !root.hasRebuildMark)
            return isReady ? IndexConnection(root: root, database: database, identity: identity) : nil
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

    /// Creates or migrates the index. The caller holds the set-up lock.
    private func setUp() throws -> IndexConnection {
        // If a process of an earlier version was killed before it created the first table, the index is empty.
        if try !root.hasIndex || Database.index(of: root).origin == .empty { try begin() }
        let identity = try root.indexIdentity()
        let database = try Database.index(of: root).database
        try Schema.current.migrate(database, root: root.path)
        if try root.hasRebuildMark {
            try database.set(.lost, to: "")
            root.remove(CacheRoot.rebuildMark)
        }
        return IndexConnection(root: root, database: database, identity: identity)
    }

    /// Creates an index under a temporary name and renames it, so that no process opens an incomplete index. The index
    /// must not be opened before the descriptor that syncs it is closed, because closing any descriptor of a file
    /// releases all SQLite locks of this process on the file (POSIX; sqlite.org/howtocorrupt.html §2.2).
    private func begin() throws {
        try root.requireCache()
        // The files may have lost their rows.
        let isLost = try !root.names(in: CacheRoot.scopes).isEmpty
        let new = CacheRoot.index + ".new"
        // Remove files of a killed process, and the log of a lost index, which SQLite must never apply to this index.
        for name in [new] + CacheRoot.companions.flatMap({ [new + $0, CacheRoot.index + $0] }) { root.remove(name) }
        try withExtendedLifetime(root.openToWrite(new, O_RDWR | O_EXCL)) { file in
            try withExtendedLifetime(Database(path: root.path(of: new), root: root.path)) {
                try Schema.current.begin($0, isLost: isLost)
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
    private func setUpAnew(detail: String?) throws -> IndexConnection {
        if let detail { try requireDamage(detail: detail) }
        try setAside(detail: detail)
        let connection = try setUp()
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
    private func requireDamage(detail: String) throws {
        do {
            guard try Database.complaints(about: root)?.isEmpty == true else { return }
        } catch CacheFailure.indexDamaged {
            return
        }
        throw CacheFailure.fault(
            detail: "\(root.index) is intact, but cannot be used: \(detail); nothing was changed")
    }

    private func makeRoot() throws {
        do {
            try root.make()
        } catch let failure as SystemFailure where [EROFS, EACCES, EPERM].contains(failure.errno) {
            throw try root.indexIdentity() == nil
                ? CacheFailure.cannotMakeRoot(path: root.path, errno: failure.errno)
                : CacheFailure.readOnly(root: root.path)
        }
    }

    /// Renames the index and its companions, replacing an earlier damaged index. Renames the write-ahead log first,
    /// because it must not be applied to a new, empty index.
    private func setAside(detail: String?) throws {
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
