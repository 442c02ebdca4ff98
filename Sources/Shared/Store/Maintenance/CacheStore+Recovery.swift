import Libc
import Support

/// Recovery of single files when their keys are requested.
extension CacheStore {
    /// Returns the entry of a key if its file matches its row. If the index was lost, first recovers the row from the
    /// file.
    ///
    /// - Parameters:
    ///   - isLocked: whether the caller holds the entry's lock.
    ///   - onLoss: called if the file of the row is missing.
    package func validated(_ key: CacheKey, isLocked: Bool = false, onLoss: () -> Void = {}) throws -> Entry? {
        try validated(row(key.name), of: key, isLocked: isLocked, onLoss: onLoss)
    }

    /// Does the same as `validated(_:)` for a row that was just read. `row` is nil if the key has no row.
    package func validated(
        _ row: Entry?, of key: CacheKey, isLocked: Bool = false, onLoss: () -> Void = {}
    ) throws -> Entry? {
        guard let entry = try row.flatMap({ try checked($0, onLoss: onLoss) }) else {
            return try moved(to: key) ?? recover(key, isLocked: isLocked)
        }
        if entry.key != nil || index.isReadOnly { return entry }
        return try index.write(now: clock.now()) { try $0.entries.setKey(entry, key.text) }
    }

    /// Moves an entry from the key that an earlier version used to the current key. Its variants must then be made
    /// again. Keeps the old key if the root is read-only, the file system has no hard links, or the current key differs
    /// between processes (`CacheKey.isLasting`).
    private func moved(to key: CacheKey) throws -> Entry? {
        guard let former = key.former, let entry = try validated(CacheKey(address: former)) else { return nil }
        if index.isReadOnly || !key.isLasting { return entry }
        let now = clock.now()
        let folder = try folder()
        let moved = try index.write(now: now) { [root = index.root] connection in
            try connection.entries.move(entry.name, in: scope, to: key, now: now) { old, new in
                // The scope may have been purged in the meantime.
                guard let place = CacheRoot.blob(new.file, folder: folder),
                    old.place == CacheRoot.blob(old.file, folder: folder)
                else { return false }
                guard try root.link(old.place, to: place) else { return false }
                // If the file system has no extended attributes, the loss of the index also loses the key.
                _ = try root.open(place, O_RDONLY).setAttribute(CacheRoot.keyAttribute, key.text)
                return true
            }
        }
        guard let moved, settings.syncs || moved.isPinned else { return moved }
        return try makeDurable([moved])[0]
    }

    /// Returns the row stored under the key of an earlier version. Its file may be missing.
    package func formerEntry(_ key: CacheKey) throws -> Entry? {
        try key.former.flatMap { try row(CacheKey(address: $0).name) }
    }

    /// Recovers the row of a requested key from its file. Costs a single system call unless files may lack rows.
    private func recover(_ key: CacheKey, isLocked: Bool) throws -> Entry? {
        guard !index.isReadOnly, try index.mayLackRows(now: clock.now()) else { return nil }
        let folder = try folder()
        let files = try recovery.newestFirst(index.root.originals(key.name, folder: folder), folder: folder)
        if files.isEmpty { return nil }
        let lock = try isLocked ? nil : lockForRecovery(key)
        defer { withExtendedLifetime(lock) {} }
        if let found = try recovered(key) { return found }
        let salvaged = try SalvagedIndex(root: index.root)
        var entry: Entry?
        for file in files {
            let isReplaced = entry != nil
            let lost = Recovery.LostFile(name: file, folder: folder, scope: scope, key: key.text)
            let recovered = try recovery.recover(lost, salvaged: salvaged, isReplaced: isReplaced)
            entry = entry ?? recovered
        }
        return try entry ?? recovered(key)
    }

    /// Returns the entry of a key if another process has recovered the entry.
    private func recovered(_ key: CacheKey) throws -> Entry? {
        try row(key.name).flatMap { try fileState(of: $0) == .right ? $0 : nil }
    }

    /// Acquires the key's lock, so that only one process recovers the entry. Returns nil once another process has
    /// recovered it. Also returns nil after half a second: the holder may be downloading the entry, and a lookup must
    /// not wait for the network. The caller then recovers the file without the lock; the transaction prevents
    /// conflicts.
    private func lockForRecovery(_ key: CacheKey) throws -> KeyLock? {
        let end = SteadyTime.now() + .milliseconds(500)
        while true {
            if let lock = try KeyLock.ifFree(root: index.root, CacheRoot.lock(key.name, in: scope)) { return lock }
            if try SteadyTime.now() > end || recovered(key) != nil { return nil }
            try interruption.sleep(.milliseconds(5))
        }
    }
}
