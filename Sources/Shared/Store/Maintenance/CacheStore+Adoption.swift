import Libc
import Support

/// Files that have lost their rows, since the index was lost or damaged, are taken in again: each when its key is asked
/// for, or all of them by `verify --repair` and `clean`.
///
/// An original's file is named by its key, so that it is found without the index, and bears the key as an attribute if
/// the file system has these, so that lists and records name it. A second attribute keeps the pin. What can still be
/// read of a damaged index is used (`SalvagedIndex`); else the server's validators are lost, and the file's time stands
/// in for that of fetching. Variants are not taken in, since nothing tells which content they were made of, and they can
/// be made again: their files stay as long as a path that was handed out before must. So do those of originals that a
/// file of another name has replaced: of several, the one written last is the entry.
///
/// What was removed does not come back: a purge makes the next generation's folder right after its row, and only
/// what lies in the latest generation is taken in.
extension CacheStore {
    /// The entry of a key, if its file is there as the index says, or as far as a lost index can be done without.
    /// - Parameters:
    ///   - isLocked: whether the caller holds the entry's lock.
    ///   - onLoss: is told that there was a row, and its file was not there.
    package func sound(_ key: CacheKey, isLocked: Bool = false, onLoss: () -> Void = {}) throws -> Entry? {
        try sound(index.find(key.name, in: scope), of: key, isLocked: isLocked, onLoss: onLoss)
    }

    /// The same for a row that was just read; nil if there was none.
    package func sound(
        _ row: Entry?, of key: CacheKey, isLocked: Bool = false, onLoss: () -> Void = {}
    ) throws -> Entry? {
        guard let entry = try row.flatMap({ try checked($0, isLocked: isLocked, onLoss: onLoss) }) else {
            return try renamed(key) ?? adopt(key, isLocked: isLocked)
        }
        if entry.key != nil || index.isReadOnly { return entry }
        return try index.setKey(entry, key.text, now: clock.now())
    }

    /// Moves an entry from the key of an earlier version to the present key. Returns nil if there is none. The entry keeps
    /// its key in a read-only root, and if the present key is not lasting. Its variants are made again.
    private func renamed(_ key: CacheKey) throws -> Entry? {
        guard let former = key.former, let entry = try sound(CacheKey(address: former)) else { return nil }
        return index.isReadOnly || !key.isLasting ? entry : try index.rename(entry, key, now: clock.now())
    }

    /// The row under the key of an earlier version, without a look at its file; nil if there is none.
    package func formerEntry(_ key: CacheKey) throws -> Entry? {
        try key.former.flatMap { try index.find(CacheKey(address: $0).name, in: scope) }
    }

    /// Takes in the file of a key that is asked for. Costs a look at one file where no index was ever lost.
    private func adopt(_ key: CacheKey, isLocked: Bool) throws -> Entry? {
        guard try index.root.awaitsRebuild, !index.isReadOnly else { return nil }
        let folder = try index.folder(of: scope)
        let files = try newestFirst(index.root.originals(key.name, folder: folder), folder: folder)
        if files.isEmpty { return nil }
        let lock = try isLocked ? nil : lockForAdoption(key)
        defer { withExtendedLifetime(lock) {} }
        if let found = try adopted(key) { return found }
        let salvaged = try SalvagedIndex(root: index.root)
        var entry: Entry?
        for file in files {
            let isReplaced = entry != nil
            let adopted = try adopt(
                file, folder: folder, name: scope, key: key.text, salvaged: salvaged, isReplaced: isReplaced)
            entry = entry ?? adopted
        }
        return try entry ?? adopted(key)
    }

    /// The entry of a key as another may have taken it in meanwhile.
    private func adopted(_ key: CacheKey) throws -> Entry? {
        guard let found = try index.find(key.name, in: scope), !found.isUnsettled, try index.root.isWhole(found)
        else {
            return nil
        }
        return found
    }

    /// The key's lock, which spares others the work of taking the file in; nil once one of them has done it. Nil also
    /// where somebody holds it for longer than that takes: that one may be about to store the key anew, and looking it
    /// up must not wait for a network. The file is then taken in without the lock: the transaction sees to it that
    /// neither does harm to the other.
    private func lockForAdoption(_ key: CacheKey) throws -> KeyLock? {
        let end = SteadyTime.now() + .milliseconds(500)
        while true {
            if let lock = try KeyLock.ifFree(root: index.root, CacheRoot.lock(key.name, in: scope)) { return lock }
            if try SteadyTime.now() > end || adopted(key) != nil { return nil }
            try interruption.sleep(.milliseconds(5))
        }
    }

    /// Those of a folder's files that are there, the one written last first.
    private func newestFirst(_ files: [String], folder: String) throws -> [String] {
        let found = try files.compactMap { file in
            try CacheRoot.blob(file, folder: folder).flatMap(index.root.file).map { (file, $0.modified) }
        }
        return found.sorted { $0.1 > $1.1 }.map(\.0)
    }

    /// Takes in one file of a scope's folder; nil if it is no whole picture, or has its row by now.
    ///
    /// - Parameter isReplaced: whether another file is the entry of its key by now.
    func adopt(
        _ file: String, folder: String, name: ScopeName, key: String? = nil, url: String? = nil,
        salvaged: SalvagedIndex? = nil, isReplaced: Bool = false
    ) throws -> Entry? {
        guard let place = CacheRoot.blob(file, folder: folder), let found = try index.root.file(place),
            var new = try restored(file, at: place, found)
        else { return nil }
        new.key = key ?? new.key
        new.url = url
        new = try salvaged?.entry(new, folder: folder, scope: name, index: index) ?? new
        if isReplaced { (new.name, new.kind, new.parent, new.isPinned) = (file, .superseded, new.name, false) }
        let entry = try index.adopt(new, folder: folder, name: name, now: clock.now()) {
            try index.root.file(place) == found
        }
        if let entry { log.detail("the file \(entry.path) has its row again") }
        return entry
    }

    /// What the row of a file says, as far as the file tells.
    private func restored(_ name: String, at place: String, _ status: FileStatus) throws -> NewEntry? {
        guard let stem = CacheRoot.name(ofBlob: name), let file = try index.root.openIfPresent(place) else {
            return nil
        }
        let isVariant = CacheRoot.isVariant(name)
        // A variant may be of a format that is written only.
        let picture =
            isVariant
            ? FileFacts(contentType: "application/octet-stream", fileExtension: "")
            : try wholePicture(file)
        guard let picture else { return nil }
        let now = clock.now()
        let fetchedAt = min(status.modified, now)
        let key = isVariant ? nil : file.attribute(CacheRoot.keyAttribute).flatMap { try? CacheKey(printed: $0) }
        return NewEntry(
            name: isVariant ? name : stem, key: key?.name == stem ? key?.text : nil,
            kind: isVariant ? .superseded : .original, file: name,
            bytes: status.bytes, sha256: try BlobStore.sha256(of: file), picture: picture, fetchedAt: fetchedAt,
            expiresAt: fetchedAt + settings.ttl, lastUsed: fetchedAt, leaseUntil: lease.end(from: now),
            isPinned: !isVariant && CacheRoot.isPinned(file))
    }

    /// Returns the facts of a file that is a whole picture, nil for any other. Throws `SystemFailure` if it cannot be
    /// read: that says nothing of its content.
    func wholePicture(_ file: File) throws -> FileFacts? {
        do {
            return try inspect(file)
        } catch let failure as SystemFailure {
            throw failure
        } catch {
            return nil
        }
    }

    /// Takes in all files that have no row, where the index was begun anew; what is no whole picture stays without.
    func rebuild(_ adopted: (Entry) throws -> Void) throws {
        let salvaged = try SalvagedIndex(root: index.root)
        try index.root.forEachBlobFolder { folder in
            let names = try index.root.names(in: folder.name).filter { CacheRoot.name(ofBlob: $0) != nil }
            let files = try newestFirst(index.filesWithoutRow(names, folder: folder.scope), folder: folder.scope)
            // What lies in earlier generations' folders has been purged, by somebody who did not come to its files.
            let hash = String(folder.scope.prefix(32))
            guard try CacheRoot.generation(ofFolder: folder.scope) == index.root.latestGeneration(of: hash) else {
                return try index.withFilesWithoutRow(files, folder: folder.scope, now: clock.now()) {
                    index.root.remove("\(folder.name)/\($0)")
                }
            }
            for file in files {
                try interruption.check()
                let name = try salvaged?.scopeName(folder.scope) ?? scopeName(folder.scope)
                let entry =
                    try adopt(file, folder: folder.scope, name: name, salvaged: salvaged)
                    ?? adopt(file, folder: folder.scope, name: name, salvaged: salvaged, isReplaced: true)
                if let entry { try adopted(entry) }
            }
        }
        try index.removeUnusedGenerations(now: clock.now())
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
