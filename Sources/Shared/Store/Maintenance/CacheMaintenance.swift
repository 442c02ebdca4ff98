import Support

extension CacheStore {
    public var maintenance: CacheMaintenance { CacheMaintenance(cache: self) }
}

/// Removes unneeded rows and files of a root. Methods throw the errors of `CacheStore`.
public struct CacheMaintenance: Sendable {
    /// Keeps the cache open during the work.
    let cache: CacheStore

    private var index: Index { cache.index }
    private var clock: Clock { cache.clock }
    private var interruption: Interruption { cache.interruption }

    /// Removes unneeded files and rows of all scopes or, with `dryRun`, only counts them. Calls `report` after each
    /// step.
    ///
    /// Other processes may use the root concurrently: entries that they are storing, downloading or returning stay.
    /// Memory use does not grow with the number of entries.
    ///
    /// - Parameter scope: limits the work to expired entries, failures, metadata and copies of this scope. All other
    ///   steps concern the whole root.
    public func clean(_ scope: ScopeName? = nil, dryRun: Bool = false, report: (CleanStep) throws -> Void) throws {
        if !dryRun { try index.requireWriting() }
        var freed = 0
        func step(_ kind: CleanStep.Kind, _ body: (inout CleanStep) throws -> Void) throws {
            try interruption.check()
            let begin = Timestamp.now()
            var step = CleanStep(kind)
            try body(&step)
            step.duration = Timestamp.now() - begin
            freed += kind == .expired ? step.bytes : 0
            try report(step)
        }
        func cleanExpiredAndFailed() throws {
            try step(.expired) { try cleanExpired(&$0, scope, dryRun) }
            try step(.failures) { step in
                step.count =
                    try dryRun ? index.perform { try $0.negatives.count(of: scope) } : forgetFailures(of: scope)
            }
            try step(.metadata) { try cleanMetadata(&$0, scope, dryRun) }
            try step(.copies) { try cleanCopies(&$0, scope, dryRun) }
        }
        if scope != nil { return try cleanExpiredAndFailed() }
        let mustRebuild = try index.mayLackRows()
        if mustRebuild {
            try step(.rebuild) { step in
                if dryRun { return step.add(try orphans(removing: false)) }
                try cache.recovery.rebuild { step.add($0.bytes) }
            }
        }
        try step(.purges) { try cleanPurges(&$0, dryRun) }
        try step(.files) { $0.add(try doomed(removing: !dryRun)) }
        try cleanExpiredAndFailed()
        try step(.capacity) { try cleanOverCapacity(&$0, dryRun, freed: freed) }
        // Files that a rebuild would recover are not orphans.
        try step(.orphans) { if !(dryRun && mustRebuild) { $0.add(try orphans(removing: !dryRun)) } }
        try step(.partials) { $0.add(try leftPartials(removing: !dryRun)) }
        try step(.locks) { try cleanLocks(&$0, dryRun) }
        try step(.damaged) { try cleanDamagedIndexes(&$0, dryRun) }
        try step(.folders) { if !dryRun { try cleanFolders(&$0) } }
    }

    private func cleanPurges(_ step: inout CleanStep, _ dryRun: Bool) throws {
        step.add(
            try dryRun ? index.perform { try $0.scopes.purgedContents() } : cache.scopes.finishPurges())
    }

    /// Counts, and optionally removes, the files whose rows were deleted.
    func doomed(removing: Bool) throws -> EntrySum {
        var left = EntrySum()
        for name in try index.doomedFiles(now: clock.now()) { left.add(try index.root.file(name)?.bytes ?? 0) }
        if removing { try index.sweep(now: clock.now()) }
        return left
    }

    private func cleanExpired(_ step: inout CleanStep, _ scope: ScopeName?, _ dryRun: Bool) throws {
        let now = clock.now()
        var last: Int64 = -1
        while case let found = try index.perform({ try $0.entries.expired(after: last, of: scope, now: now) }),
            let end = found.last
        {
            try interruption.check()
            last = end.id
            let leases = try index.root.leases.live(at: now, in: index.root)
            let batch = try found.filter { try leases.end(of: $0.place) == nil }
            if dryRun {
                for entry in batch { step.add(entry.bytes) }
            } else {
                let removal = try index.removing({ batch.map(\.place) }) {
                    try index.write(now: now) { try $0.entries.removeExpired(batch.map(\.id), now: now) }
                }
                step.add(removal)
                try index.sweep(now: now)
            }
        }
    }

    private func cleanMetadata(_ step: inout CleanStep, _ scope: ScopeName?, _ dryRun: Bool) throws {
        let limit = clock.now() - CacheMetadata.keptAfterExpiry
        if dryRun { return step.add(try index.perform { try $0.metadata.expired(before: limit, of: scope) }) }
        while true {
            try interruption.check()
            // Returns no files that could be removed first on a full disk, because metadata has no files.
            let batch = try index.removing({ [] }) {
                try index.write(now: clock.now(), isQuiet: true) {
                    try $0.metadata.delete(expiredBefore: limit, of: scope)
                }
            }
            if batch.entries == 0 { return }
            step.add(batch)
        }
    }

    private func cleanCopies(_ step: inout CleanStep, _ scope: ScopeName?, _ dryRun: Bool) throws {
        var last: Int64 = -1
        while case let page = try index.perform({ try $0.copies.page(after: last, of: scope) }), let end = page.last {
            try interruption.check()
            last = end.id
            let gone = page.filter { FileCopies.isGone($0.path) }.map(\.id)
            step.add(EntrySum(entries: gone.count, bytes: 0))
            if !dryRun, !gone.isEmpty {
                try index.write(now: clock.now(), isQuiet: true) { try $0.copies.delete(gone) }
            }
        }
    }

    private func cleanOverCapacity(_ step: inout CleanStep, _ dryRun: Bool, freed: Int) throws {
        let now = clock.now()
        let capacity = cache.settings.capacity
        let removal =
            try dryRun
            ? index.perform { try $0.entries.trimPreview(capacity: capacity, freed: freed, now: now) }
            : cache.trimmer.trimToCapacity(now: now)
        step.add(removal)
    }

    /// Counts, and optionally removes, the files that never had a row.
    func orphans(removing: Bool) throws -> EntrySum {
        var left = EntrySum()
        try forEachOrphan { folder, files in
            func count(_ file: String) throws {
                let name = "\(folder.name)/\(file)"
                guard let found = try index.root.file(name) else { return }
                left.add(found.bytes)
                if removing { index.root.remove(name) }
            }
            if !removing { return try files.forEach(count) }
            try index.write(now: clock.now()) {
                try $0.entries.filesWithoutRow(files, folder: folder.scope).forEach(count)
            }
        }
        return left
    }

    /// Calls `body` with the files that have neither row nor lease, folder by folder, in batches small enough for a
    /// transaction. `body` must check again that a file has no row.
    private func forEachOrphan(_ body: (CacheRoot.BlobFolder, [String]) throws -> Void) throws {
        for folder in try index.root.blobFolders() {
            try interruption.check()
            let files = try index.root.names(in: folder.name).filter { CacheRoot.name(ofBlob: $0) != nil }
            let leases = try index.root.leases.live(at: clock.now(), in: index.root)
            let unknown = try index.perform { try $0.entries.filesWithoutRow(files, folder: folder.scope) }
            var rest = try unknown.filter { try leases.end(of: "\(folder.name)/\($0)") == nil }[...]
            while !rest.isEmpty {
                try body(folder, Array(rest.prefix(TrimPlan.batch)))
                rest = rest.dropFirst(TrimPlan.batch)
            }
        }
    }

    /// Counts, and optionally removes, the files in `partial/` that no process is writing (the lock of their key is
    /// free), except for leased previews.
    func leftPartials(removing: Bool) throws -> EntrySum {
        let root = index.root
        var left = EntrySum()
        for file in try root.names(in: CacheRoot.partials) {
            try interruption.check()
            guard let owner = CacheRoot.owner(of: file) else { continue }
            let name = "\(CacheRoot.partials)/\(file)"
            if try isLeasedPreview(name) { continue }
            if removing {
                guard let lock = try KeyLock.ifFree(root: root, CacheRoot.lock(owner: owner)) else { continue }
                try withExtendedLifetime(lock) {
                    guard let found = try root.file(name) else { return }
                    left.add(found.bytes)
                    root.remove(name)
                }
            } else if try !KeyLock.isHeld(root: root, CacheRoot.lock(owner: owner)), let found = try root.file(name) {
                left.add(found.bytes)
            }
        }
        return left
    }

    /// Removes unused lock files, and the files of ended leases, which are not counted. Only earlier versions, and
    /// systems without byte locks, leave lock files behind.
    private func cleanLocks(_ step: inout CleanStep, _ dryRun: Bool) throws {
        let root = index.root
        if !dryRun { root.leases.removeEnded(now: clock.now(), in: root) }
        for file in try root.names(in: CacheRoot.locks) where CacheRoot.owner(of: file) == file {
            let name = CacheRoot.lock(owner: file)
            if dryRun {
                if try !KeyLock.isHeld(root: root, name) { step.add(0) }
            } else if let lock = try KeyLock.ifFree(root: root, name) {
                withExtendedLifetime(lock) { root.remove(name) }
                step.add(0)
            }
        }
    }

    /// Removes damaged indexes that were set aside longer than a lease ago. No process recovers data from them any
    /// more.
    private func cleanDamagedIndexes(_ step: inout CleanStep, _ dryRun: Bool) throws {
        let limit = clock.now() - cache.settings.lease
        for name in try index.root.damagedIndexes {
            guard let found = try index.root.file(name), found.changed < limit else { continue }
            step.add(found.bytes)
            if !dryRun { index.root.remove(name) }
        }
    }

    /// Removes empty folders, with a write transaction per generation. Files are stored in write transactions too, so
    /// no process loses a folder that it has just created.
    private func cleanFolders(_ step: inout CleanStep) throws {
        let root = index.root
        for scope in try root.scopeFolders() {
            try interruption.check()
            let name = "\(CacheRoot.scopes)/\(scope)"
            let inner = try root.names(in: name).filter(CacheRoot.isBlobFolder).map { "\(name)/\($0)" }
            step.count += try index.write(now: clock.now()) {
                try inner.count(where: root.removeFolder)
                    + $0.scopes.removeUnusedGenerations(of: String(scope.prefix(32)))
            }
        }
    }

    /// Deletes the cached failures of a scope or of all scopes; with `expiredOnly`, only expired failures. Returns
    /// their number.
    @discardableResult
    public func forgetFailures(of scope: ScopeName? = nil, expiredOnly: Bool = false) throws -> Int {
        try index.requireWriting()
        let now = clock.now()
        return try index.write(now: now) {
            try $0.negatives.delete(of: scope, expiringBy: expiredOnly ? now : Timestamp(milliseconds: .max))
        }
    }

    // MARK: Previews

    /// Removes previews whose lease has expired, in all scopes, and returns their number. Reads all names in
    /// `partial/`. The next run retries files that cannot be removed.
    @discardableResult
    public func removeOldPreviews() throws -> Int {
        var count = 0
        for name in try index.root.names(in: CacheRoot.partials) where name.contains(text: CacheRoot.previewMark) {
            let name = "\(CacheRoot.partials)/\(name)"
            guard try index.root.file(name) != nil, try !isLeasedPreview(name) else { continue }
            index.root.remove(name)
            count += 1
        }
        return count
    }

    /// Whether a file is a leased preview.
    func isLeasedPreview(_ name: String) throws -> Bool {
        guard name.contains(text: CacheRoot.previewMark), let found = try index.root.file(name) else { return false }
        let now = clock.now()
        return found.modified <= now + Clock.tolerance && cache.lease.end(from: found.modified) > now
    }
}

extension MemoryPlace {
    /// Evicts least recently used entries, except for leased and pinned entries, until `bytes` have been freed. Removes
    /// the place if it is then empty. Returns whether an entry was evicted.
    func makeRoom(for bytes: Int, clock: Clock) throws -> Bool {
        var (hasGone, isEmpty) = (false, false)
        do {
            let held = try held()
            var settings = CacheSettings(root: path, scope: .standard)
            settings.capacity = .max
            // This instance stores nothing, so it never calls its inspection.
            let cache = try CacheStore(settings: settings, clock: clock, interruption: Interruption()) { _ in
                throw Cancelled()
            }
            hasGone = try cache.trimmer.makeRoom(for: bytes).entries > 0
            isEmpty = try cache.statistics().entries == 0 && CacheRoot(path).names(in: CacheRoot.partials).isEmpty
            withExtendedLifetime(held) {}
        }
        if isEmpty { removeIfUnused() }
        return hasGone
    }
}
