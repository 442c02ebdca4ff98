import Libc
import Support

/// Where one scope of one root keeps its pictures in memory: a folder that is a cache of its own, so that roots and
/// scopes share no file there either.
///
/// Its name is made of a digest of the root's path and one of the scope's name. The process that has it open holds a
/// shared lock on the file of that name with `.lock`, and it is removed only under an exclusive one: what is under way
/// there never loses the index that tells it that the scope was emptied.
package struct MemoryPlace: Sendable {
    /// The folder, which is the root of a cache.
    package let path: String

    /// The folder of `RuntimePlaces.memory` that it lies in.
    private let folder: String
    private let name: String

    private init(folder: String, name: String) {
        self.folder = folder
        self.name = name
        path = "\(folder)/\(name)"
    }

    /// The name of the place of a root and a scope, for the process that writes there as for the process that empties
    /// it.
    ///
    /// - Parameter root: of the cache on the disk; any path that leads there gives the same name. Nil if it has no place.
    static func name(root: String?, scope: ScopeName) -> String { rootPart(root) + scope.hash }

    private static func rootPart(_ root: String?) -> String {
        "\(SHA256.hex(of: root.map(Folder.resolve) ?? "").prefix(32))-"
    }

    /// Whether a folder's name is that of such a place: two times 32 hexadecimal digits.
    private static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { $0.utf8.count == 32 && $0.utf8.allSatisfy("0123456789abcdef".utf8.contains) }
    }

    // MARK: Those that there are

    /// The place to write to, which may be missing. Throws `CacheFailure.noMemory`.
    package static func writable(root: String?, scope: ScopeName, in places: RuntimePlaces) throws -> MemoryPlace {
        MemoryPlace(folder: try places.memoryFolder(), name: name(root: root, scope: scope))
    }

    /// All places that have been made, of every root; wherever in memory they were made. Passes over folders that are
    /// not this user's alone.
    /// Throws `SystemFailure` if a folder cannot be read.
    package static func all(in places: RuntimePlaces) throws -> [MemoryPlace] {
        try names(in: places).filter { isName($0.name) }.map(MemoryPlace.init).filter { try $0.isMade }
    }

    private static func names(in places: RuntimePlaces) throws -> [(folder: String, name: String)] {
        try places.memory.flatMap { folder in
            do {
                return try PrivateFolder.open(folder, making: false).names().sorted().map { (folder, $0) }
            } catch let failure as SystemFailure where SystemFailure.provesAbsence(failure.errno) {
                return []
            } catch is UnsafePlace {
                return []
            }
        }
    }

    /// Those of one root, of all scopes or of one.
    package static func all(root: String?, scope: ScopeName? = nil, in places: RuntimePlaces) throws -> [MemoryPlace] {
        let part = scope.map { name(root: root, scope: $0) } ?? rootPart(root)
        return try all(in: places).filter { $0.name.hasPrefix(part) }
    }

    /// Removes the locks of places of this root that are gone: a process that is killed while it removes one leaves its
    /// lock.
    package static func removeLeftLocks(root: String?, scope: ScopeName? = nil, in places: RuntimePlaces) throws {
        let part = scope.map { name(root: root, scope: $0) } ?? rootPart(root)
        for (folder, lock) in try names(in: places) where lock.hasSuffix(".lock") && lock.hasPrefix(part) {
            let place = MemoryPlace(folder: folder, name: String(lock.dropLast(".lock".count)))
            if isName(place.name), try !place.isMade { place.removeIfUnused() }
        }
    }

    /// The place of this root in which a path lies, made or not.
    package init?(of path: String, root: String?, in places: RuntimePlaces) {
        guard let folder = places.memoryFolder(of: path) else { return nil }
        let name = path.dropFirst(folder.count + 1).prefix { $0 != "/" }
        guard Self.isName(String(name)), name.hasPrefix(Self.rootPart(root)) else { return nil }
        self.init(folder: folder, name: String(name))
    }

    /// Whether there is a cache at the place. Throws `SystemFailure` if that cannot be determined.
    package var isMade: Bool { get throws { try File.exists(path + "/index.sqlite") } }

    /// The hash of its scope's name.
    package var scopeHash: String { String(name.suffix(32)) }

    // MARK: Life

    private var lockPath: String { path + ".lock" }

    /// Keeps others from removing it for as long as the result lives. Throws `SystemFailure`.
    package func held() throws -> File {
        for _ in 0..<LockTable.attempts {
            let file = try File.open(lockPath, O_RDWR | O_CREAT | O_NOFOLLOW, purpose: .makeOutput)
            while flock(file.descriptor, LOCK_SH) != 0 {
                if errno != EINTR { throw SystemFailure(errno: errno, "lock \(lockPath)") }
            }
            if try file.isStillNamed() { return file }
        }
        throw CacheFailure.replaced(root: path)
    }

    /// Whether somebody has it open at this moment.
    var isOpen: Bool {
        guard let file = try? File.open(lockPath, O_RDWR | O_NOFOLLOW) else { return false }
        return flock(file.descriptor, LOCK_EX | LOCK_NB) != 0
    }

    /// Whether somebody writes a file there at this moment, of which some bytes have come: it can go once it is whole.
    /// One without bytes may itself wait for room.
    /// Throws `SystemFailure` if that cannot be determined.
    var isBeingWritten: Bool {
        get throws {
            let root = CacheRoot(path)
            return try root.names(in: CacheRoot.partials).contains { file in
                guard let owner = CacheRoot.owner(of: file), !file.hasSuffix(PartialFile.noteMark),
                    let status = try root.file("\(CacheRoot.partials)/\(file)"), status.bytes > 0
                else { return false }
                return try KeyLock.isHeld(root: root, CacheRoot.lock(owner: owner))
            }
        }
    }

    /// Removes it unless somebody has it open. Nothing must be in it that is still needed.
    package func removeIfUnused() {
        guard let file = try? File.open(lockPath, O_RDWR | O_NOFOLLOW),
            flock(file.descriptor, LOCK_EX | LOCK_NB) == 0, (try? file.isStillNamed()) == true
        else { return }
        Self.removeTree(path)
        lockPath.withPathPointer { _ = unlink($0) }
    }

    /// Below a folder that nobody else can change.
    private static func removeTree(_ path: String) {
        let names = (try? Folder(path).names()) ?? []
        for name in names {
            let inner = "\(path)/\(name)"
            if inner.withPathPointer({ unlink($0) }) != 0 { removeTree(inner) }
        }
        path.withPathPointer { _ = rmdir($0) }
    }
}
