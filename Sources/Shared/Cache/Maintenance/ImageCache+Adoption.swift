import Formats
import Support

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Files that have lost their rows, since the index was lost or damaged, are taken in again: each when its key is asked
/// for, or all of them by `verify --repair` and `clean`.
///
/// An original's file is named by its key, so that it is found without the index. What can still be read of a damaged
/// index is used (`SalvagedIndex`); else the server's validators are not known any more, and the file's time stands in
/// for that of fetching. Variants are not taken in, since nothing tells which content they were made of, and they can
/// be made again: their files stay as long as a path that was handed out before must.
extension ImageCache {
    /// The entry of a key, if its file is there as the index says, or as far as a lost index can be done without.
    /// - Parameters:
    ///   - isLocked: whether the caller holds the entry's lock.
    ///   - onLoss: is told that there was a row, and its file was not there.
    func sound(_ key: CacheKey, isLocked: Bool = false, onLoss: () -> Void = {}) throws -> Entry? {
        guard let entry = try sound(key.name, isLocked: isLocked, onLoss: onLoss) else {
            return try adopt(key, isLocked: isLocked)
        }
        if entry.key != nil || index.isReadOnly { return entry }
        return try index.setKey(entry, key.text, now: clock.now())
    }

    /// Takes in the file of a key that is asked for. Costs a look at one file where no index was ever lost.
    private func adopt(_ key: CacheKey, isLocked: Bool) throws -> Entry? {
        guard index.root.awaitsRebuild, !index.isReadOnly else { return nil }
        let folder = try index.folder()
        let files = ImageFormat.allCases.map { "\(key.name).\($0.fileExtension)" }
        guard let file = files.first(where: { FolderListing.facts(index.root.blob($0, folder: folder)) != nil }) else {
            return nil
        }
        // Whoever holds the lock is about to store the key anew.
        let lock = try isLocked ? nil : KeyLock.ifFree(root: index.root, path: index.root.lock(key.name, in: scope))
        defer { withExtendedLifetime(lock) {} }
        if !isLocked && lock == nil { return nil }
        return try adopt(
            file, folder: folder, name: scope, key: key.text, salvaged: SalvagedIndex(root: index.root))
    }

    /// Takes in one file of a scope's folder; nil where it is no whole picture, or has its row by now.
    func adopt(
        _ file: String, folder: String, name: ScopeName, key: String? = nil, url: String? = nil,
        salvaged: SalvagedIndex? = nil
    ) throws -> Entry? {
        let path = index.root.blob(file, folder: folder)
        guard let found = FolderListing.facts(path), var new = try restored(file, at: path, found) else { return nil }
        new.key = key
        new.url = url
        new = salvaged?.entry(new, folder: folder, scope: name, index: index) ?? new
        let entry = try index.adopt(new, folder: folder, name: name, now: clock.now()) {
            FolderListing.facts(path) == found
        }
        if let entry { log.detail("the file \(entry.path) has its row again") }
        return entry
    }

    /// What the row of a file says, as far as the file tells.
    private func restored(_ name: String, at path: String, _ facts: FolderListing.Facts) throws -> NewEntry? {
        guard let stem = CacheRoot.name(ofBlob: name), let file = try? File.open(path, O_RDONLY) else { return nil }
        let isVariant = CacheRoot.isVariant(name)
        // A variant may be of a format that is written only.
        let picture =
            isVariant
            ? InspectedPicture(contentType: "application/octet-stream", fileExtension: "")
            : try? inspect(file)
        guard let picture else { return nil }
        let now = clock.now()
        let fetchedAt = min(facts.modified, now)
        return NewEntry(
            name: isVariant ? name : stem, key: nil, kind: isVariant ? .superseded : .original, file: name,
            bytes: facts.bytes, sha256: try BlobStore.sha256(of: file), picture: picture, fetchedAt: fetchedAt,
            expiresAt: fetchedAt + settings.ttl, lastUsed: fetchedAt, leaseUntil: lease.end(from: now))
    }

    /// Takes in all files that have no row, where the index was begun anew; what is no whole picture stays without.
    func rebuild(_ adopted: (Entry) throws -> Void) throws {
        let salvaged = SalvagedIndex(root: index.root)
        try index.root.forEachBlobFolder { folder in
            // What lies in earlier generations' folders has been purged.
            let hash = String(folder.scope.prefix(32))
            guard CacheRoot.generation(ofFolder: folder.scope) == index.root.latestGeneration(of: hash) else { return }
            let files = FolderListing.names(of: folder.path).filter { CacheRoot.name(ofBlob: $0) != nil }
            for file in try index.filesWithoutRow(files, folder: folder.scope) {
                try interruption.check()
                let name = try salvaged?.scopeName(folder.scope) ?? scopeName(folder.scope)
                if let entry = try adopt(file, folder: folder.scope, name: name, salvaged: salvaged) {
                    try adopted(entry)
                }
            }
        }
        index.root.noteRebuilt()
    }

    /// The scope that uses a folder. That of one which nobody has used since the index was lost is not known: its
    /// folder stands in for it, until somebody names the scope.
    private func scopeName(_ folder: String) throws -> ScopeName {
        let hash = String(folder.prefix(32))
        for known in [scope, .standard] where known.hash == hash { return known }
        return try ScopeName(hash)
    }
}
