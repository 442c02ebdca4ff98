import Libc
import Support

/// The root of a cache, with this layout:
/// ```
/// CACHEDIR.TAG                      makes backup programs skip the folder (bford.info/cachedir)
/// index.sqlite (-wal, -shm)         the index; `index.sqlite.new` while it is created
/// scopes/<scope>/<2 digits>/<file>  one file per content of an entry: `<name>-<stamp>.<extension>`, for a variant
///                                   `<name>-v<stamp>.<extension>`; earlier versions wrote no stamp
/// scopes/<scope>/g<n>/…             the same, after n purges of the scope
/// partial/<scope>-<name>            a download in progress or interrupted, with `.note` and other files
/// partial/<scope>-<name>.g<n>       the same, after n purges of the scope
/// locks/all                         one byte per lock (`KeyLock`): `<scope>-<name>` while an entry is fetched or made,
///                                   `setup` while the index is created, `purge` while purged files are removed,
///                                   `purger` while the background process runs, `rebuild` while files are recovered
/// leases/<end>-<term>            a byte for each entry whose path stays valid until <end> (see `LeaseTable`)
/// rebuild                           earlier versions' form of `Setting.lost`
/// key-secret                        32 random bytes, for keys of addresses with secrets (`KeySecrets`)
/// ```
/// `<scope>` and `<name>` are 32 hexadecimal digits of a SHA-256, so no external text becomes part of a path. `<stamp>`
/// is the first 24 digits of the content's SHA-256, or the first 16 and 8 random digits if a row already has that file
/// name. A file that has a row is therefore never overwritten, and a power failure cannot leave a row whose file has
/// different content. `<2 digits>`, the first digits of `<name>`, divide the files among 256 folders, because some file
/// systems are slow with a million files in a folder. Folders have mode 0700, files 0600.
///
/// The path is resolved once, and the folder is held open (`Folder`). All names are relative to it, and no symbolic
/// link is followed. A root must be missing, empty or already a cache. Unless it is shared, an existing root must
/// belong to this user and must not be world-writable.
///
/// Methods throw `UnsafePath` if the root belongs to another user or other users can change it,
/// `CacheFailure.notACache` if it is neither empty nor a cache, `cannotMakeRoot` if it cannot be opened or created, and
/// `SystemFailure` if a system call fails. A file is treated as missing only if the system reports that it does not
/// exist.
package final class CacheRoot: Sendable {
    /// The absolute path, with symbolic links resolved and without a trailing slash.
    package let path: String
    /// Whether the root may belong to another user or be writable by others.
    let isShared: Bool
    /// See `CacheSettings.lacksRoot`.
    private let isMissing: Bool
    private let held: Monitor<Folder?>
    /// The value of `boot`, with the identity of the folder that it was computed for.
    let knownBoot = Monitor<(identity: File.Identity, boot: Int64)?>(nil)
    private let fault: Folder.Fault?
    /// The `KeyLock`s of this process.
    let locks = LockTable()
    let leases = LeaseTable()

    /// Resolves a relative path against the current folder. Does not open the root.
    ///
    /// - Parameter fault: makes calls on files below the root fail, for tests.
    package init(_ path: String, isShared: Bool = false, isMissing: Bool = false, fault: Folder.Fault? = nil) {
        self.path = Folder.resolve(path)
        self.isShared = isShared
        self.isMissing = isMissing
        self.fault = fault
        held = Monitor(nil)
    }

    static let index = "index.sqlite"
    static let scopes = "scopes"
    package static let partials = "partial"
    static let locks = "locks"
    static let leases = "leases"
    static let tag = "CACHEDIR.TAG"
    static let rebuildMark = "rebuild"
    static let keySecret = "key-secret"

    static let setupLock = "\(locks)/setup"
    static let purgeLock = "\(locks)/purge"
    static let purgerLock = "\(locks)/purger"
    static let rebuildLock = "\(locks)/rebuild"

    /// The absolute path of the index, for SQLite.
    var index: String { path(of: Self.index) }

    package func path(of name: String) -> String { "\(path)/\(name)" }

    package static func partial(_ name: String, in scope: ScopeName, generation: Int64) -> String {
        "\(partials)/\(scope.hash)-\(name)\(generation == 0 ? "" : ".g\(generation)")"
    }

    /// Returns the lock of a key, which is the same in every generation. A process may therefore wait for a download of
    /// a purged generation. Such a download soon detects the purge and ends.
    package static func lock(_ name: String, in scope: ScopeName) -> String { "\(locks)/\(scope.hash)-\(name)" }

    // MARK: The open folder

    /// The open root, or nil if it is missing.
    package func folder() throws -> Folder? {
        if isMissing { return nil }
        return try held.withLock { held throws in
            if let held { return held }
            do {
                let folder = try Folder(resolved: path, fault: fault)
                try check(folder)
                held = folder
            } catch let failure as SystemFailure where failure.isMissing {
            } catch let failure as SystemFailure where [ENOTDIR, ELOOP, EACCES].contains(failure.errno) {
                if failure.errno == EACCES, let status = try? FileStatus(at: path) {
                    try requireReadable(status, at: path, R_OK | X_OK)
                }
                throw CacheFailure.cannotMakeRoot(path: path, errno: failure.errno)
            }
            return held
        }
    }

    /// Closes the root if its path no longer leads to the open folder, so that the next use opens the new folder.
    func refresh() throws {
        try held.withLock { held throws in
            if let folder = held, try FileStatus(at: path)?.identity != folder.identity { held = nil }
        }
    }

    private func check(_ folder: Folder) throws {
        for name in [Self.scopes, Self.partials, Self.locks, Self.leases] {
            if let status = try folder.status(of: name) { try check(status, at: path(of: name)) }
        }
        try check(folder.status(), at: path)
        // If there is an index, `Schema.origin` decides later whether this is a cache.
        if let index = try folder.status(of: Self.index), index.kind == .file, index.bytes > 0 { return }
        try requireCache(folder)
    }

    /// Throws `CacheFailure.foreignRoot` if a file or folder belongs to another user and this user lacks `rights` to
    /// it.
    func requireReadable(_ status: FileStatus, at path: String, _ rights: Int32 = R_OK) throws {
        if status.owner == geteuid() || path.withPathPointer({ access($0, rights) }) == 0 { return }
        guard errno == EACCES else { return }
        throw CacheFailure.foreignRoot(path: self.path, owner: status.owner, user: geteuid())
    }

    /// Throws `UnsafePath` for a symbolic link and, unless the root is shared, for a folder that other users can
    /// change.
    func check(_ status: FileStatus, at path: String) throws {
        guard let fault = UnsafePath.fault(ofFolder: path, status) else { return }
        if case .link = fault { throw fault }
        if !isShared { throw fault }
    }

    /// Throws `CacheFailure.notACache` unless the root is missing, empty or a cache. Does not read the index.
    func requireCache() throws { if let folder = try folder() { try requireCache(folder) } }

    private func requireCache(_ folder: Folder) throws {
        guard try RootContents(of: folder) == .foreign else { return }
        throw CacheFailure.notACache(root: path)
    }

    /// Whether the root is missing or empty.
    func isAbsent() throws -> Bool {
        guard let folder = try folder() else { return true }
        return try RootContents(of: folder) == .empty
    }

    // MARK: Files and folders

    func status(of name: String) throws -> FileStatus? { try folder()?.status(of: name) }

    /// Returns the names in a folder, unsorted; none if the folder is missing. The list is short, because a folder
    /// contains about 1/256 of a scope's files.
    package func names(in name: String) throws -> [String] { try folder()?.names(in: name) ?? [] }

    /// Returns the status of a regular file, or nil if there is none with this name.
    package func file(_ name: String) throws -> FileStatus? {
        try status(of: name).flatMap { $0.kind == .file ? $0 : nil }
    }

    /// Whether a name still refers to this open file.
    func has(_ file: File, as name: String) throws -> Bool { try status(of: name)?.identity == file.identity }

    /// Opens a plain file, or returns nil if it is missing.
    package func openIfPresent(_ name: String, _ flags: Int32 = O_RDONLY) throws -> File? {
        try folder()?.openIfPresent(name, flags)
    }

    package func open(_ name: String, _ flags: Int32) throws -> File {
        guard let folder = try folder() else { throw SystemFailure(errno: ENOENT, "open \(path(of: name))") }
        return try folder.open(name, flags)
    }

    /// Removes a file. Ignores errors: files without rows are swept later.
    func remove(_ name: String) { _ = (try? folder())?.remove(name) }

    /// Removes a folder. Returns false if it is not empty or cannot be removed.
    func removeFolder(_ name: String) -> Bool { (try? folder())?.removeFolder(name) ?? false }

    /// Renames a file below the root, into another folder if `target` is set.
    func rename(_ name: String, to other: String, in target: Folder? = nil) throws {
        guard let folder = try folder() else { throw SystemFailure(errno: ENOENT, "move \(path(of: name))") }
        try folder.rename(name, to: other, in: target)
    }

    // MARK: Creation

    /// Creates the root, its folders and its tag if they are missing. Safe for concurrent processes.
    func make() throws {
        for folder in [Self.scopes, Self.partials, Self.locks, Self.leases] { try makeFolder(folder) }
        do {
            try made().open(Self.tag, O_WRONLY | O_CREAT | O_EXCL).write(Array(RootContents.tag.utf8))
        } catch let failure as SystemFailure where failure.errno == EEXIST {}
    }

    /// Creates a folder below the root, with all its parents.
    func makeFolder(_ name: String) throws { try makingRoot { try $0.makeFolder(name) } }

    /// Opens a file for writing, creating its folder if necessary.
    func openToWrite(_ name: String, _ flags: Int32) throws -> File {
        do {
            return try open(name, flags | O_CREAT)
        } catch let failure as SystemFailure where failure.isMissing {
            return try makingRoot { folder in
                if let slash = name.lastIndex(of: "/") { try folder.makeFolder(String(name[..<slash])) }
                return try folder.open(name, flags | O_CREAT)
            }
        }
    }

    /// Runs `body` on the root. If the root was removed, creates it again and repeats `body`, because nothing can be
    /// created in a removed folder.
    private func makingRoot<Result>(_ body: (Folder) throws -> Result) throws -> Result {
        do {
            return try body(made())
        } catch let failure as SystemFailure where failure.isMissing {
            try refresh()
            return try body(made())
        }
    }

    func makeRoot() throws { _ = try made() }

    /// Opens the root, creating it if necessary.
    private func made() throws -> Folder {
        if let folder = try folder() { return folder }
        try Self.makeFolders(path)
        guard let folder = try folder() else { throw CacheFailure.cannotMakeRoot(path: path, errno: ENOENT) }
        return folder
    }

    /// Creates a folder with its parents, with mode 0700.
    private static func makeFolders(_ path: String) throws {
        func make() -> Bool { path.withPathPointer { mkdir($0, 0o700) } == 0 || errno == EEXIST }
        if make() { return }
        guard errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else {
            throw CacheFailure.root(path, errno: errno)
        }
        try makeFolders(String(path[..<slash]))
        if !make() { throw CacheFailure.root(path, errno: errno) }
    }

    /// Returns the device and inode of the index. They differ from the device and inode of the open index if the root
    /// was removed or moved, or a damaged index was replaced.
    package func indexIdentity() throws(SystemFailure) -> File.Identity? {
        isMissing ? nil : try FileStatus(at: index, followingLinks: false)?.identity
    }
}
