import Support

/// Files outside the cache that were made from pictures. Trimming a picture keeps the rows of its copies; removing the
/// picture by its key or purging the scope deletes them. Methods throw the errors of `CacheStore`.
public struct FileCopies: Sendable {
    /// Retained, so that the cache stays open during the work.
    let cache: CacheStore

    private var index: Index { cache.index }

    /// Returns the recorded files of a key, the newest first, without checking that they exist. Omits files that were
    /// written without a sync before the last restart of the machine.
    public func recorded(of key: CacheKey) throws -> [FileCopy] {
        try index.copies(of: key.name, in: cache.scope).filter { $0.boot == nil || $0.boot == CacheRoot.machineBoot }
    }

    /// Records files made from a key's picture, and deletes the rows of the key's missing files. Only logs failures,
    /// because the files themselves are complete.
    public func record(_ copies: [FileCopy], of key: CacheKey) throws {
        if copies.isEmpty || index.isReadOnly { return }
        do {
            let known = try index.copies(of: key.name, in: cache.scope)
            let copies = copies.map { copy in
                var copy = copy
                copy.boot = cache.settings.syncs ? nil : CacheRoot.machineBoot
                return copy
            }
            if copies.allSatisfy({ copy in known.contains { $0.isSame(as: copy) } }) { return }
            let gone = known.filter { Self.isGone($0.path) }
            try index.remember(copies, forgetting: gone, of: key.name, in: cache.active, now: cache.clock.now())
        } catch let failure as any Failure where !(failure is Cancelled) {
            cache.log.detail("cannot record the copies of \(key.text): \(failure.message)")
        }
    }

    /// Counts a picture that was not needed, because the files made from it are unchanged.
    public func countKept() { index.count(in: cache.scope) { $0.add(.kept) } }

    /// Whether a file is missing from an existing folder. False if the folder is missing too, because its disk may not
    /// be mounted.
    static func isGone(_ path: String) -> Bool {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return false }
        do {
            return try FileStatus(at: path, followingLinks: false) == nil
                && FileStatus(at: String(path[...slash])) != nil
        } catch {
            return false
        }
    }
}

/// A file outside the cache that was made from a picture: a copy or a variant.
public struct FileCopy: Sendable, Equatable {
    /// The absolute path.
    public var path: String
    public var bytes: Int
    /// The modification time, in nanoseconds since 1970.
    public var modified: Int64
    /// The SHA-256 of the picture, not of the file.
    public var sha256: String
    /// Any text of the caller.
    public var details: String
    /// The boot in which the file was written without waiting for the disk; nil if it was synced.
    var boot: Int64?
}

extension FileCopy {
    public init(path: String, status: FileStatus, sha256: String, details: String) {
        self.init(
            path: path, bytes: status.bytes, modified: status.modifiedNanoseconds, sha256: sha256, details: details)
    }

    /// Whether all properties are equal. Compares paths byte by byte.
    func isSame(as other: FileCopy) -> Bool { self == other && path.hasSameBytes(as: other.path) }

    /// Whether the file has the recorded size and modification time, the test of rsync and git.
    public func isUnchanged(_ status: FileStatus?) -> Bool {
        status?.kind == .file && status?.bytes == bytes && status?.modifiedNanoseconds == modified
    }
}
