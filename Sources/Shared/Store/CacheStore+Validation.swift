import Libc
import Support

/// Comparison of entries with their files, and recovery of single files when their keys are requested.
extension CacheStore {
    /// Returns the entry with this name if its file matches its row; otherwise removes the row.
    ///
    /// - Parameter onLoss: called if the file of the row is missing.
    package func validated(_ name: String, onLoss: () -> Void = {}) throws -> Entry? {
        try row(name).flatMap { try checked($0, onLoss: onLoss) }
    }

    /// Returns `found`, a row that was already read, if its file matches the row; otherwise removes the row.
    func checked(_ found: Entry, onLoss: () -> Void = {}) throws -> Entry? {
        switch try fileState(of: found) {
        case .right: return found
        case .unconfirmed: return try confirmed(found)
        case .missing: onLoss()
        }
        // Either the file or the whole root was removed.
        try index.reopenIfReplaced()
        if !index.isReadOnly {
            try removeDamaged(found) { try !index.root.isWhole($0) }
            log.detail("the file of \(found.key ?? found.name) was lost; removing its entry")
        }
        return nil
    }

    /// The state of an entry's file, determined by a single system call.
    enum FileState {
        /// The file is missing, or its size differs from the row.
        case missing
        /// The content must be verified before use: it may not have reached the disk before a crash of the machine, or
        /// the file must be inspected again.
        case unconfirmed
        case right
    }

    func fileState(of entry: Entry) throws -> FileState {
        guard let status = try index.root.wholeFile(entry) else { return .missing }
        if entry.needsVerification { return .unconfirmed }
        let isRight =
            try entry.boot.map { try $0 != 0 && $0 == index.root.boot }
            ?? entry.modified.map { $0 == status.modifiedNanoseconds } ?? true
        return isRight ? .right : .unconfirmed
    }

    /// Compares a file with the SHA-256 in its row. If they match, makes the entry durable, so that later runs need not
    /// compare the file again; otherwise removes the row.
    private func confirmed(_ found: Entry) throws -> Entry? {
        guard let file = try index.root.openIfPresent(found.place), try isRight(found, file) else {
            return try replaced(found)
        }
        var entry = found
        entry.needsVerification = false
        if index.isReadOnly { return entry }
        try toleratingUnwritable {
            // If the cache was just copied, the bytes may be only in the page cache.
            try synchronize(file, of: &entry)
            try index.write(now: clock.now()) { try $0.entries.settle(entry) }
        }
        return entry
    }

    /// Whether a file has the SHA-256 in its row. An unsettled original must also pass the inspection.
    private func isRight(_ entry: Entry, _ file: File) throws -> Bool {
        guard try BlobStore.sha256(of: file) == entry.sha256 else { return false }
        // Truncated originals that were stored on request would not pass the inspection.
        let isKeptAnyway = entry.key?.hasPrefix(CacheKey.truncatedPrefix) == true
        return try !entry.needsVerification || entry.kind != .original || isKeptAnyway
            || recovery.wholePicture(file) != nil
    }

    /// Removes an entry whose file does not match its row. Returns a new entry if the file is a complete picture:
    /// earlier versions replaced the file before the row, and their process may have died in between.
    private func replaced(_ entry: Entry) throws -> Entry? {
        if index.isReadOnly { return nil }
        index.count(in: scope) { $0.add(.lostWrites) }
        log.detail("the file of \(entry.key ?? entry.name) does not have the recorded SHA-256; removing its entry")
        try removeDamaged(entry) { $0.id == entry.id && $0.sha256 == entry.sha256 }
        guard entry.kind == .original else { return nil }
        return try recovery.recover(
            Recovery.LostFile(
                name: entry.file, folder: folder(), scope: scope, key: entry.key, url: entry.url))
    }

    /// Reads the row with this entry's name and removes it if `isWrong` returns true. The check runs within the
    /// transaction, so no process can store the entry between the check and the removal.
    private func removeDamaged(_ entry: Entry, isWrong: (Entry) throws -> Bool) throws {
        try index.write(now: clock.now()) { connection in
            guard let found = try connection.entries.find(entry.name, in: scope), try isWrong(found) else { return }
            try connection.entries.removeDamaged(found)
            connection.tallies.change(scope) { $0.add(.healed) }
        }
    }

    // MARK: Recovery

    /// Returns the entry of a key if its file matches its row. If the index was lost, first recovers the row from the
    /// file.
    ///
    /// - Parameter onLoss: called if the file of the row is missing.
    package func validated(_ key: CacheKey, onLoss: () -> Void = {}) throws -> Entry? {
        try validated(row(key.name), of: key, onLoss: onLoss)
    }

    /// Does the same as `validated(_:)` for a row that was just read. `row` is nil if the key has no row.
    func validated(_ row: Entry?, of key: CacheKey, onLoss: () -> Void = {}) throws -> Entry? {
        guard let entry = try row.flatMap({ try checked($0, onLoss: onLoss) }) else {
            return try moved(to: key) ?? recover(key)
        }
        if entry.key != nil || index.isReadOnly { return entry }
        return try index.write(now: clock.now()) { try $0.entries.setKey(entry, key.text) }
    }

    /// Moves an entry from the key that an earlier version used to the current key. Its variants must then be made
    /// again. Keeps the old key if the root is read-only, the file system has no hard links, or the current key differs
    /// between processes (`CacheKey.isSameInAllProcesses`).
    private func moved(to key: CacheKey) throws -> Entry? {
        guard let former = key.legacyKey, let entry = try validated(CacheKey(address: former)) else { return nil }
        if index.isReadOnly || !key.isSameInAllProcesses { return entry }
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
    package func legacyEntry(_ key: CacheKey) throws -> Entry? {
        try key.legacyKey.flatMap { try row(CacheKey(address: $0).name) }
    }

    /// Recovers the row of a requested key from its file. Costs a single system call unless files may lack rows. Takes no
    /// lock, because the holder may be downloading the entry, and a lookup must not wait for the network: if several
    /// processes recover the same file, the first inserts its row.
    private func recover(_ key: CacheKey) throws -> Entry? {
        guard !index.isReadOnly, try index.mayLackRows() else { return nil }
        let folder = try folder()
        let files = try recovery.newestFirst(index.root.originals(key.name, folder: folder), folder: folder)
        if files.isEmpty { return nil }
        let salvaged = try SalvagedIndex(root: index.root)
        var entry: Entry?
        for file in files {
            let lost = Recovery.LostFile(name: file, folder: folder, scope: scope, key: key.text)
            let recovered = try recovery.recover(lost, salvaged: salvaged, isReplaced: entry != nil)
            entry = entry ?? recovered
        }
        return try entry ?? row(key.name).flatMap { try fileState(of: $0) == .right ? $0 : nil }
    }
}
