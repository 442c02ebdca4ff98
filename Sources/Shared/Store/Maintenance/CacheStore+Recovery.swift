import Libc
import Support

/// Recovery of single files when their keys are requested.
extension CacheStore {
    /// Returns the entry of a key if its file is present, after recovering it from a lost index if possible.
    ///
    /// - Parameters:
    ///   - isLocked: whether the caller holds the entry's lock.
    ///   - onLoss: called if there is a row without its file.
    package func validated(_ key: CacheKey, isLocked: Bool = false, onLoss: () -> Void = {}) throws -> Entry? {
        try validated(index.find(key.name, in: scope), of: key, isLocked: isLocked, onLoss: onLoss)
    }

    /// The same for a row that was just read, or nil if there was none.
    package func validated(
        _ row: Entry?, of key: CacheKey, isLocked: Bool = false, onLoss: () -> Void = {}
    ) throws -> Entry? {
        guard let entry = try row.flatMap({ try checked($0, onLoss: onLoss) }) else {
            return try moved(to: key) ?? recover(key, isLocked: isLocked)
        }
        if entry.key != nil || index.isReadOnly { return entry }
        return try index.setKey(entry, key.text, now: clock.now())
    }

    /// Moves an entry from the key of an earlier version to the present key. Keeps the old key in a read-only root, in
    /// a file system without hard links, or if the present key is not lasting. Its variants are made again.
    private func moved(to key: CacheKey) throws -> Entry? {
        guard let former = key.former, let entry = try validated(CacheKey(address: former)) else { return nil }
        if index.isReadOnly || !key.isLasting { return entry }
        let folder = try index.folder(of: scope)
        let moved = try index.move(entry.name, in: scope, to: key, now: clock.now()) { [index] old, new in
            // The scope may have begun a new generation since.
            guard let place = CacheRoot.blob(new.file, folder: folder),
                old.place == CacheRoot.blob(old.file, folder: folder)
            else { return false }
            guard try index.root.link(old.place, to: place) else { return false }
            // Without extended attributes, the loss of the index loses the key of the entry, and nothing else.
            _ = try index.root.open(place, O_RDONLY).setAttribute(CacheRoot.keyAttribute, key.text)
            return true
        }
        guard let moved, settings.syncs || moved.isPinned else { return moved }
        return try makeDurable([moved])[0]
    }

    /// The row under the key of an earlier version. Its file may be missing.
    package func formerEntry(_ key: CacheKey) throws -> Entry? {
        try key.former.flatMap { try index.find(CacheKey(address: $0).name, in: scope) }
    }

    /// Recovers the file of a requested key. Costs a single system call if no file may lack its row.
    private func recover(_ key: CacheKey, isLocked: Bool) throws -> Entry? {
        guard !index.isReadOnly, try index.mayLackRows(now: clock.now()) else { return nil }
        let folder = try index.folder(of: scope)
        let files = try recovery.newestFirst(index.root.originals(key.name, folder: folder), folder: folder)
        if files.isEmpty { return nil }
        let lock = try isLocked ? nil : lockForRecovery(key)
        defer { withExtendedLifetime(lock) {} }
        if let found = try recovered(key) { return found }
        let salvaged = try SalvagedIndex(root: index.root)
        var entry: Entry?
        for file in files {
            let isReplaced = entry != nil
            let lost = Recovery.LostFile(file, folder: folder, scope: scope, key: key.text)
            let recovered = try recovery.recover(lost, salvaged: salvaged, isReplaced: isReplaced)
            entry = entry ?? recovered
        }
        return try entry ?? recovered(key)
    }

    /// The entry of a key that another process may have recovered.
    private func recovered(_ key: CacheKey) throws -> Entry? {
        try index.find(key.name, in: scope).flatMap { try fileState(of: $0) == .right ? $0 : nil }
    }

    /// Returns the key's lock, which saves other processes the work; nil once one of them has recovered the entry. Also
    /// nil if the lock is held longer than that takes: its holder may be downloading the entry, and a lookup must not
    /// wait for a network. The file is then recovered without the lock; the transaction prevents conflicts.
    private func lockForRecovery(_ key: CacheKey) throws -> KeyLock? {
        let end = SteadyTime.now() + .milliseconds(500)
        while true {
            if let lock = try KeyLock.ifFree(root: index.root, CacheRoot.lock(key.name, in: scope)) { return lock }
            if try SteadyTime.now() > end || recovered(key) != nil { return nil }
            try interruption.sleep(.milliseconds(5))
        }
    }
}
