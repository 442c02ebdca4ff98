import Libc
import Support

/// Where everything lies below the root of a cache:
/// ```
/// CACHEDIR.TAG                      tells backup programs to pass by (bford.info/cachedir)
/// index.sqlite (-wal, -shm)         what is there; `index.sqlite.new` while one is being made
/// scopes/<scope>/<2 digits>/<file>  one file an entry
/// scopes/<scope>/g<n>/…             the same, for a scope that has been purged n times
/// partial/<scope>-<name>            a download under way, or what one that died has left; `.note` and others beside it
/// partial/<scope>-<name>.g<n>       the same, for a scope that has been purged n times
/// locks/all                         a byte each for `<scope>-<name>`, locked while that entry is fetched or made; for
///                                   `setup`, while the index is made; for `purge`, while what purges have left is
///                                   removed; for `purger`, by the background process (see `KeyLock`)
/// leases/<end>-<promise>            a byte each for entries whose paths stay valid until <end> (see `LeaseTable`)
/// rebuild                           there while files may have lost their rows with an older index
/// key-secret                        32 random bytes, for keys of addresses with secrets (`KeySecrets`)
/// ```
/// `<scope>` and `<name>` are 32 hexadecimal digits of a SHA-256: no text from outside ever becomes a path. The two
/// digits in between spread the files over 256 folders, since not every file system is at ease with a million files
/// in one. Folders are 0700, files 0600.
///
/// The root is resolved once and held open (`Folder`). All names are relative to it, and none leads through a link. A
/// root is used only where it is missing, empty or a cache already, this user's, and not writable by everyone.
package final class CacheRoot: Sendable {
    /// Absolute, without links in it and without a slash at the end.
    package let path: String
    /// Whether others may own the root or write to it, since the user said so.
    let isShared: Bool
    private let held: Monitor<Folder?>
    private let fault: Folder.Fault?
    /// What this process holds of `KeyLock`s.
    let locks = LockTable()
    let leases = LeaseTable()

    /// A relative path is taken from the current folder. Opens nothing yet.
    ///
    /// - Parameter fault: makes calls on files below the root fail, for tests.
    package init(_ path: String, isShared: Bool = false, fault: Folder.Fault? = nil) {
        self.path = Folder.resolve(path)
        self.isShared = isShared
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

    /// The absolute path of the index, for SQLite.
    var index: String { path(of: Self.index) }

    /// The absolute path of what a name stands for.
    package func path(of name: String) -> String { "\(path)/\(name)" }

    package static func partial(_ name: String, in scope: ScopeName, generation: Int64) -> String {
        "\(partials)/\(scope.hash)-\(name)\(generation == 0 ? "" : ".g\(generation)")"
    }

    /// The same for every generation: a process that takes it waits for one whose generation is over, which notices
    /// soon.
    package static func lock(_ name: String, in scope: ScopeName) -> String { "\(locks)/\(scope.hash)-\(name)" }

    // MARK: The open folder

    /// The open root, or nil if it is missing. Throws `UnsafePlace` if others could have prepared it or may change it,
    /// `CacheFailure.notACache` if it is something else, `cannotMakeRoot` if it is no folder, `SystemFailure`.
    package func folder() throws -> Folder? {
        try held.withLock { held throws in
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

    /// Forgets the open root if its path leads to another folder or to none, so that the next use opens it again.
    /// Throws `SystemFailure` if that cannot be determined.
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
        // Whose index it is, the index itself says.
        if let index = try folder.status(of: Self.index), index.kind == .file, index.bytes > 0 { return }
        try requireCache(folder)
    }

    /// Throws `CacheFailure.foreignRoot` for another user's file or folder that does not grant these rights.
    func requireReadable(_ status: FileStatus, at path: String, _ rights: Int32 = R_OK) throws {
        if status.owner == geteuid() || path.withPathPointer({ access($0, rights) }) == 0 { return }
        guard errno == EACCES else { return }
        throw CacheFailure.foreignRoot(path: self.path, owner: status.owner, user: geteuid())
    }

    /// Throws `UnsafePlace` for a folder that is not trusted.
    func check(_ status: FileStatus, at path: String) throws {
        guard let fault = UnsafePlace.fault(ofFolder: path, status) else { return }
        if case .link = fault { throw fault }
        if !isShared { throw fault }
    }

    /// Throws `CacheFailure.notACache` unless the root is empty or a cache, whatever its index is.
    func requireCache() throws { if let folder = try folder() { try requireCache(folder) } }

    private func requireCache(_ folder: Folder) throws {
        guard try RootContents(of: folder) == .foreign else { return }
        throw CacheFailure.notACache(root: path)
    }

    /// Whether there is nothing yet: no root, or an empty one. Throws as `folder` does.
    func isAbsent() throws -> Bool {
        guard let folder = try folder() else { return true }
        return try RootContents(of: folder) == .empty
    }

    // MARK: Below it

    // All of these throw as `folder` does, and `SystemFailure` if a look fails: that never counts as absence.

    func status(of name: String) throws -> FileStatus? { try folder()?.status(of: name) }

    /// Returns the names in a folder, in no order; none if it is missing. All at once: a folder of the cache has a 256th
    /// of a scope's files.
    package func names(in name: String) throws -> [String] { try folder()?.names(in: name) ?? [] }

    /// Returns the status of a regular file; nil for anything else.
    package func file(_ name: String) throws -> FileStatus? {
        try status(of: name).flatMap { $0.kind == .file ? $0 : nil }
    }

    /// Returns whether a name still leads to this file.
    func has(_ file: File, as name: String) throws -> Bool { try status(of: name)?.identity == file.identity }

    /// Opens a plain file; nil if there is none.
    package func openIfPresent(_ name: String, _ flags: Int32 = O_RDONLY) throws -> File? {
        try folder()?.openIfPresent(name, flags)
    }

    /// Opens a file that is there. Throws `SystemFailure`, `UnsafePlace`.
    package func open(_ name: String, _ flags: Int32) throws -> File {
        guard let folder = try folder() else { throw SystemFailure(errno: ENOENT, "open \(path(of: name))") }
        return try folder.open(name, flags)
    }

    /// Removes a file. One that is not there, or cannot be removed, is no failure: what has no row is swept later.
    func remove(_ name: String) { _ = (try? folder())?.remove(name) }

    /// Removes a folder if it is empty; false where it is not, or cannot be removed.
    func removeFolder(_ name: String) -> Bool { (try? folder())?.removeFolder(name) ?? false }

    /// Gives a file another name, below the root or in another folder. Throws `SystemFailure`.
    func rename(_ name: String, to other: String, in target: Folder? = nil) throws {
        guard let folder = try folder() else { throw SystemFailure(errno: ENOENT, "move \(path(of: name))") }
        try folder.rename(name, to: other, in: target)
    }

    // MARK: Making

    /// Makes what is missing; any number of processes may do so at once. The index is for `Index` to make.
    func make() throws {
        for folder in [Self.scopes, Self.partials, Self.locks, Self.leases] { try makeFolder(folder) }
        do {
            try made().open(Self.tag, O_WRONLY | O_CREAT | O_EXCL).write(Array(RootContents.tag.utf8))
        } catch let failure as SystemFailure where failure.errno == EEXIST {}
    }

    /// Makes a folder below the root with all above it, the root among them.
    func makeFolder(_ name: String) throws { try makingRoot { try $0.makeFolder(name) } }

    /// Opens a file to be written, with the folder it lies in.
    func openToWrite(_ name: String, _ flags: Int32) throws -> File {
        do {
            guard let folder = try folder() else { throw SystemFailure(errno: ENOENT, "open \(path(of: name))") }
            return try folder.open(name, flags | O_CREAT)
        } catch let failure as SystemFailure where failure.isMissing {
            return try makingRoot { folder in
                if let slash = name.lastIndex(of: "/") { try folder.makeFolder(String(name[..<slash])) }
                return try folder.open(name, flags | O_CREAT)
            }
        }
    }

    /// Runs `body` on the root, and once more on a new one if it was removed: nothing can be made in that.
    private func makingRoot<Result>(_ body: (Folder) throws -> Result) throws -> Result {
        do {
            return try body(made())
        } catch let failure as SystemFailure where failure.isMissing {
            try refresh()
            return try body(made())
        }
    }

    /// Makes the root's own folder if it is missing. Throws as `folder` does, and `CacheFailure`.
    func makeRoot() throws { _ = try made() }

    /// The open root, made where it is missing.
    private func made() throws -> Folder {
        if let folder = try folder() { return folder }
        try Self.makeFolders(path)
        guard let folder = try folder() else { throw CacheFailure.cannotMakeRoot(path: path, errno: ENOENT) }
        return folder
    }

    /// Makes a folder with all above it, each with mode 0700.
    private static func makeFolders(_ path: String) throws {
        func make() -> Bool { path.withPathPointer { mkdir($0, 0o700) } == 0 || errno == EEXIST }
        if make() { return }
        guard errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else {
            throw CacheFailure.root(path, errno: errno)
        }
        try makeFolders(String(path[..<slash]))
        if !make() { throw CacheFailure.root(path, errno: errno) }
    }

    /// Returns the device and inode of the index at its path; nil if there is none. They differ from the open index after
    /// the root was deleted or moved, or a damaged index was set aside. Throws `SystemFailure` if the look fails.
    package func indexIdentity() throws(SystemFailure) -> File.Identity? {
        try FileStatus(at: index, followingLinks: false)?.identity
    }
}
