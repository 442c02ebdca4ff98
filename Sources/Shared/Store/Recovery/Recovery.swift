import Libc
import Support

/// Recovers the rows of files after the loss of the index or of its last transactions. A single file is recovered when
/// its key is requested. Each run that writes spends a short time on recovering other files; `verify --repair` and
/// `clean` recover all files.
///
/// The file name of an original begins with a digest of its key, so a lookup finds the file without the index. A digest
/// of the content follows, so that a file with other bytes is not recovered. The pin, and the key that lists and
/// records show, come from extended attributes, if the file system has them. Other data comes from the readable parts
/// of a damaged index (`SalvagedIndex`). Without a damaged index, the validators are lost, and the file's modification
/// time replaces the time of fetching. If a key has several files, the newest file becomes the entry, and the others
/// become superseded entries. Variants become superseded entries too, because the content of their original is unknown
/// and they can be made again. Superseded files stay as long as returned paths must stay valid.
///
/// Purged entries do not return: right after a purge has recorded the scope's next generation in the index, it creates
/// the folder of that generation, and only files of the latest generation are recovered.
struct Recovery: Sendable {
    /// A file that has no row.
    struct LostFile {
        let name: String
        /// The folder of the file's scope and generation.
        let folder: String
        let scope: ScopeName
        /// The key and the address, if known; otherwise the key is read from the file's attributes.
        var key: String?
        var url: String?
    }

    let index: Index
    /// The scope of the run.
    let currentScope: ScopeName
    let ttl: Duration
    let lease: Lease
    let clock: Clock
    let log: Log
    let interruption: Interruption
    let inspect: Inspection

    /// Returns the files that exist, sorted by modification time, newest first.
    func newestFirst(_ files: [String], folder: String) throws -> [String] {
        let found = try files.compactMap { file in
            try CacheRoot.blob(file, folder: folder).flatMap(index.root.file).map { (file, $0.modified) }
        }
        return found.sorted { $0.1 > $1.1 }.map(\.0)
    }

    /// Inserts the row of a file. Returns nil if the file is not a complete picture or already has a row.
    ///
    /// - Parameters:
    ///   - salvaged: the readable rows of a damaged index.
    ///   - isReplaced: whether another file is already the entry of the key.
    func recover(_ file: LostFile, salvaged: SalvagedIndex? = nil, isReplaced: Bool = false) throws -> Entry? {
        guard let place = CacheRoot.blob(file.name, folder: file.folder), let found = try index.root.file(place),
            var new = try restored(file.name, at: place, found, scope: file.scope)
        else { return nil }
        new.key = file.key ?? new.key
        new.url = file.url
        new = try salvaged?.entry(new, folder: file.folder, root: index.root) ?? new
        if isReplaced { (new.name, new.kind, new.parent, new.isPinned) = (file.name, .superseded, new.name, false) }
        let now = clock.now()
        let entry = try index.write(now: now) { connection in
            try connection.entries.recover(new, folder: file.folder, now: now) { try index.root.file(place) == found }
        }
        if let entry { log.detail("recovered the entry of \(entry.path)") }
        return entry
    }

    /// Derives an entry from the file alone. Returns nil unless the file is a complete picture whose SHA-256 matches
    /// its name: a power failure may have lost bytes.
    private func restored(_ name: String, at place: String, _ status: FileStatus, scope: ScopeName) throws -> Entry? {
        guard let stem = CacheRoot.name(ofBlob: name), let file = try index.root.openIfPresent(place) else {
            return nil
        }
        let isVariant = CacheRoot.isVariant(name)
        // Variants are not inspected, because some of their formats can be encoded but not decoded.
        let picture =
            isVariant
            ? FileFacts(contentType: "application/octet-stream", fileExtension: "")
            : try wholePicture(file)
        guard let picture else { return nil }
        let sha256 = try BlobStore.sha256(of: file)
        if let digest = CacheRoot.digest(ofBlob: name), !sha256.hasPrefix(digest) { return nil }
        let now = clock.now()
        var entry = Entry(name: isVariant ? name : stem, scope: scope)
        entry.file = name
        entry.bytes = status.bytes
        entry.sha256 = sha256
        entry.facts = picture
        entry.fetchedAt = min(status.modified, now)
        entry.expiresAt = entry.fetchedAt + ttl
        entry.lastUsed = entry.fetchedAt
        entry.leaseUntil = lease.end(from: now)
        entry.boot = try index.root.boot
        if isVariant {
            entry.kind = .superseded
        } else {
            let key = file.attribute(CacheRoot.keyAttribute).flatMap { try? CacheKey(printed: $0) }
            entry.key = key?.name == stem ? key?.text : nil
            entry.isPinned = CacheRoot.isPinned(file)
        }
        return entry
    }

    /// Returns the facts of a complete picture, or nil. Throws `SystemFailure` if the file cannot be read, because its
    /// content is then unknown.
    func wholePicture(_ file: File) throws -> FileFacts? {
        do {
            return try inspect(file)
        } catch let failure as SystemFailure {
            throw failure
        } catch {
            return nil
        }
    }

    /// Recovers the rows of all files. Files that are not complete pictures get no row.
    ///
    /// - Parameters:
    ///   - limit: the maximum time, checked after each folder. The next limited call continues with the next folder.
    ///   - recovered: called with each recovered entry.
    func rebuild(atMost limit: Duration? = nil, _ recovered: (Entry) throws -> Void) throws {
        let end = limit.map { SteadyTime.now() + $0 }
        let salvaged = try SalvagedIndex(root: index.root)
        let finished = try index.perform { connection in
            try limit != nil && connection.isOfThisBoot() ? connection.database.setting(.rebuilt) ?? "" : ""
        }
        for folder in try index.root.blobFolders() where folder.name > finished {
            try rebuild(folder, salvaged, recovered)
            if let end, SteadyTime.now() > end {
                return try setRebuilt(folder.name)
            }
        }
        // From now on, only rows record the generations of scopes, even of scopes without entries.
        for folder in try index.root.scopeFolders() where CacheRoot.generation(ofFolder: folder) != 0 {
            let scope = try salvaged?.scopeName(folder) ?? scopeName(folder)
            try index.write(now: clock.now(), isQuiet: true) {
                _ = try $0.scopes.makeForRecovery(folder: folder, name: scope)
            }
        }
        try setRebuilt(nil)
    }

    /// Records the last folder completed by a rebuild; nil if the whole rebuild is finished.
    private func setRebuilt(_ folder: String?) throws {
        try index.write(now: clock.now(), isQuiet: true) {
            try $0.database.set(.boot, to: String(CacheRoot.machineBoot))
            try $0.database.set(.rebuilt, to: folder)
            if folder == nil { try $0.database.set(.lost, to: nil) }
        }
    }

    private func rebuild(
        _ folder: CacheRoot.BlobFolder, _ salvaged: SalvagedIndex?, _ recovered: (Entry) throws -> Void
    ) throws {
        let names = try index.root.names(in: folder.name).filter { CacheRoot.name(ofBlob: $0) != nil }
        let unknown = try index.perform { try $0.entries.filesWithoutRow(names, folder: folder.scope) }
        let files = try newestFirst(unknown, folder: folder.scope)
        // Files of earlier generations are the remains of an unfinished purge.
        let hash = String(folder.scope.prefix(32))
        guard try CacheRoot.generation(ofFolder: folder.scope) == index.root.latestGeneration(of: hash) else {
            return try index.write(now: clock.now()) { connection in
                for file in try connection.entries.filesWithoutRow(files, folder: folder.scope) {
                    index.root.remove("\(folder.name)/\(file)")
                }
            }
        }
        for file in files {
            try interruption.check()
            let scope = try salvaged?.scopeName(folder.scope) ?? scopeName(folder.scope)
            let lost = LostFile(name: file, folder: folder.scope, scope: scope)
            let entry = try recover(lost, salvaged: salvaged) ?? recover(lost, salvaged: salvaged, isReplaced: true)
            if let entry { try recovered(entry) }
        }
    }

    /// If a rebuild is due, continues it for at most `limit`, unless another process is doing so.
    func continueRebuild(for limit: Duration) throws {
        guard try index.mayLackRows(),
            let lock = try KeyLock.ifFree(root: index.root, CacheRoot.rebuildLock)
        else { return }
        defer { withExtendedLifetime(lock) {} }
        try rebuild(atMost: limit) { _ in }
    }

    /// Returns the scope of a folder. If the scope's name is unknown, its hash serves as the name until a run names the
    /// scope.
    private func scopeName(_ folder: String) throws -> ScopeName {
        let hash = String(folder.prefix(32))
        for known in [currentScope, .standard] where known.hash == hash { return known }
        return try ScopeName(hash)
    }
}
