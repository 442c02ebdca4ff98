import Support

extension CacheStore {
    public var copies: FileCopies { FileCopies(cache: self) }
}

/// Files outside the cache that were made from pictures. Trimming a picture keeps the rows of its copies; removing the
/// picture by its key or purging the scope deletes these rows. Methods throw the errors of `CacheStore`.
public struct FileCopies: Sendable {
    /// A strong reference, which keeps the cache open while this value is used.
    let cache: CacheStore

    private var index: Index { cache.index }

    /// Returns the recorded files of a key, the newest first, without checking that they exist. Omits files that were
    /// written without a sync before the last restart of the machine.
    public func recorded(of key: CacheKey) throws -> [FileCopy] {
        try all(of: key).filter { $0.boot == nil || $0.boot == CacheRoot.machineBoot }
    }

    private func all(of key: CacheKey) throws -> [FileCopy] {
        try index.perform { try $0.copies.all(of: key.name, in: cache.scope) }
    }

    /// Records files made from a key's picture, and deletes the rows of the key's missing files. Only logs failures,
    /// because the files themselves are complete.
    public func record(_ copies: [FileCopy], of key: CacheKey) throws {
        if copies.isEmpty || index.isReadOnly { return }
        do {
            let known = try all(of: key)
            let copies = copies.map { copy in
                var copy = copy
                copy.boot = cache.settings.syncs ? nil : CacheRoot.machineBoot
                return copy
            }
            if copies.allSatisfy({ copy in known.contains { $0.isSame(as: copy) } }) { return }
            let gone = known.filter { Self.isGone($0.path) }
            try index.write(now: cache.clock.now(), isQuiet: true) {
                try $0.copies.replace(gone, by: copies, of: key.name, in: cache.active)
            }
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
