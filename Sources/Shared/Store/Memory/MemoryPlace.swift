import Libc
import Support

/// The folder for the pictures of a scope in memory. Each root and scope has a separate folder with a complete cache.
///
/// The folder's name consists of digests of the root's path and of the scope's name. A process that uses the folder
/// holds a shared lock on the file with the suffix `.lock`. The folder is removed only under an exclusive lock, so that
/// work in progress can always read the index and detect a purge.
package struct MemoryPlace: Sendable {
    /// The root of the cache in memory.
    package let path: String

    /// The folder of `RuntimePlaces.memory` that contains the place.
    private let folder: String
    private let name: String

    private init(folder: String, name: String) {
        self.folder = folder
        self.name = name
        path = "\(folder)/\(name)"
    }

    /// Returns the name for a root and a scope, the same in all processes.
    ///
    /// - Parameter root: the root of the cache on disk, as an absolute or relative path; nil if there is only a cache
    ///   in memory.
    static func name(root: String?, scope: ScopeName) -> String { rootPart(root) + scope.hash }

    private static func rootPart(_ root: String?) -> String {
        "\(SHA256.hex(of: root.map(Folder.resolve) ?? "").prefix(32))-"
    }

    /// Whether a name has the format of a place's folder: twice 32 hexadecimal digits.
    private static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy(\.utf8.isName)
    }

    // MARK: Existing places

    /// Returns the place for new entries, which need not exist yet. Throws `CacheFailure.noMemory`.
    package static func writable(root: String?, scope: ScopeName, in places: RuntimePlaces) throws -> MemoryPlace {
        MemoryPlace(folder: try places.memoryFolder(), name: name(root: root, scope: scope))
    }

    /// Returns all existing places of all roots, in any folder. Skips folders that other users can change. Throws
    /// `SystemFailure` if a folder cannot be read.
    package static func all(in places: RuntimePlaces) throws -> [MemoryPlace] {
        try names(in: places).filter { isName($0.name) }.map(MemoryPlace.init).filter { try $0.isMade }
    }

    private static func names(in places: RuntimePlaces) throws -> [(folder: String, name: String)] {
        try places.memory.flatMap { folder in
            do {
                return try PrivateFolder.open(folder, making: false).names().sorted().map { (folder, $0) }
            } catch let failure as SystemFailure where SystemFailure.provesAbsence(failure.errno) {
            } catch is UnsafePath {}
            return []
        }
    }

    /// Returns the existing places of a root, for a scope or for all scopes.
    package static func all(root: String?, scope: ScopeName? = nil, in places: RuntimePlaces) throws -> [MemoryPlace] {
        let part = scope.map { name(root: root, scope: $0) } ?? rootPart(root)
        return try all(in: places).filter { $0.name.hasPrefix(part) }
    }

    /// Removes lock files of this root whose places no longer exist. A process that is killed during a removal leaves
    /// such a file.
    package static func removeLeftLocks(root: String?, scope: ScopeName? = nil, in places: RuntimePlaces) throws {
        let part = scope.map { name(root: root, scope: $0) } ?? rootPart(root)
        for (folder, lock) in try names(in: places) where lock.hasSuffix(".lock") && lock.hasPrefix(part) {
            let place = MemoryPlace(folder: folder, name: String(lock.dropLast(".lock".count)))
            if isName(place.name), try !place.isMade { place.removeIfUnused() }
        }
    }

    /// Finds the place of this root that contains a path. Neither needs to exist.
    package init?(of path: String, root: String?, in places: RuntimePlaces) {
        guard let folder = places.memoryFolder(of: path) else { return nil }
        let name = path.dropFirst(folder.count + 1).prefix { $0 != "/" }
        guard Self.isName(String(name)), name.hasPrefix(Self.rootPart(root)) else { return nil }
        self.init(folder: folder, name: String(name))
    }

    /// Whether the place has a cache.
    package var isMade: Bool { get throws { try File.exists(path + "/index.sqlite") } }

    /// The hash of the scope's name.
    package var scopeHash: String { String(name.suffix(32)) }

    // MARK: Lifetime

    private var lockPath: String { path + ".lock" }

    /// Acquires the shared lock, which prevents the removal of the place while the result is retained.
    package func held() throws -> File {
        guard let file = try File.openLocked(lockPath, LOCK_SH) else { throw CacheFailure.replaced(root: path) }
        return file
    }

    var isOpen: Bool {
        guard let file = try? File.open(lockPath, O_RDWR | O_NOFOLLOW) else { return false }
        return (try? file.lock(LOCK_EX | LOCK_NB)) != true
    }

    /// Whether a process is writing a file in this place. Such a file can be evicted once it is complete. Ignores empty
    /// files, whose writers may themselves be waiting for space.
    var isBeingWritten: Bool {
        get throws {
            let root = CacheRoot(path)
            return try root.names(in: CacheRoot.partials).contains { file in
                guard let owner = CacheRoot.owner(of: file), !file.hasSuffix(CacheRoot.noteMark),
                    let status = try root.file("\(CacheRoot.partials)/\(file)"), status.bytes > 0
                else { return false }
                return try KeyLock.isHeld(root: root, CacheRoot.lock(owner: owner))
            }
        }
    }

    /// Removes the place, with all its entries, unless a process uses it.
    package func removeIfUnused() {
        guard let file = try? File.open(lockPath, O_RDWR | O_NOFOLLOW),
            (try? file.lock(LOCK_EX | LOCK_NB)) == true, (try? file.isStillNamed()) == true
        else { return }
        Self.removeTree(path)
        lockPath.withPathPointer { _ = unlink($0) }
    }

    /// Removes a folder recursively. Safe because no other user can change the parent folder.
    private static func removeTree(_ path: String) {
        let names = (try? Folder(path).names()) ?? []
        for name in names {
            let inner = "\(path)/\(name)"
            if inner.withPathPointer({ unlink($0) }) != 0 { removeTree(inner) }
        }
        path.withPathPointer { _ = rmdir($0) }
    }
}
