import Support

/// What one step of `clean` has done, or would do.
public struct CleanStep: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Files are taken in again that lost their rows with an older index.
        case rebuild
        /// Entries that have expired, and files that were replaced; not those that are pinned or leased.
        case expired
        /// The least recently used entries while there are more bytes than the capacity.
        case capacity
        /// What purged scopes have left.
        case purges
        /// Failures that are remembered; they have no bytes.
        case failures
        /// Metadata that expired more than 30 days ago.
        case metadata
        /// Copies in other folders that are remembered and gone; they have no bytes.
        case copies
        /// Files whose rows have gone.
        case files
        /// Files that never got a row: the process that stored them was killed.
        case orphans
        /// What downloads have left that nobody continues now.
        case partials
        /// Files of locks that nobody holds.
        case locks
        /// Indexes that were set aside since they were damaged.
        case damaged
        /// Empty folders.
        case folders
    }

    public let kind: Kind
    public var count = 0
    /// Of the files that went.
    public var bytes = 0
    public var duration: Duration = .zero

    init(_ kind: Kind) { self.kind = kind }

    mutating func add(_ bytes: Int) {
        count += 1
        self.bytes += bytes
    }

    mutating func add(_ removal: Removal) {
        count += removal.entries
        bytes += removal.bytes
    }
}

extension CacheStore {
    /// Removes what nobody needs, in all scopes of the root, and gives an account of each step to `report` when it is
    /// done. With `dryRun` nothing is changed, and what is counted is what would go.
    ///
    /// Any number of other processes may use the root meanwhile: what they are just storing, downloading or handing out
    /// stays. Memory does not grow with the number of entries. Throws `CacheFailure`, `SystemFailure`, `Cancelled`.
    ///
    /// - Parameter scope: cleans this scope alone, of what has expired and what failed; what is over the capacity, or
    ///   belongs to no scope any more, is left to a run for all.
    public func clean(_ scope: ScopeName? = nil, dryRun: Bool = false, report: (CleanStep) throws -> Void) throws {
        if !dryRun { try requireWriting() }
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
            try step(.failures) { $0.count = try dryRun ? index.countNegatives(of: scope) : forgetFailures(of: scope) }
            try step(.metadata) { try cleanMetadata(&$0, scope, dryRun) }
            try step(.copies) { try cleanCopies(&$0, scope, dryRun) }
        }
        if scope != nil { return try cleanExpiredAndFailed() }
        let mustRebuild = try index.root.awaitsRebuild
        if mustRebuild { try step(.rebuild) { try cleanByRebuilding(&$0, dryRun) } }
        try step(.purges) { try cleanPurges(&$0, dryRun) }
        try step(.files) { try cleanDoomed(&$0, dryRun) }
        try cleanExpiredAndFailed()
        try step(.capacity) { try cleanOverCapacity(&$0, dryRun, freed: freed) }
        // What could be taken in again is no orphan.
        try step(.orphans) { if !(dryRun && mustRebuild) { try cleanOrphans(&$0, dryRun) } }
        try step(.partials) { try cleanPartials(&$0, dryRun) }
        try step(.locks) { try cleanLocks(&$0, dryRun) }
        try step(.damaged) { try cleanDamagedIndexes(&$0, dryRun) }
        try step(.folders) { if !dryRun { try cleanFolders(&$0) } }
    }

    private func cleanByRebuilding(_ step: inout CleanStep, _ dryRun: Bool) throws {
        guard dryRun else { return try rebuild { step.add($0.bytes) } }
        try forEachOrphan { folder, files in
            for file in files { step.add(try index.root.file("\(folder.name)/\(file)")?.bytes ?? 0) }
        }
    }

    private func cleanPurges(_ step: inout CleanStep, _ dryRun: Bool) throws {
        let purged = try dryRun ? index.purgedContents() : finishPurges()
        step.add(Removal(entries: purged.entries, bytes: purged.bytes))
    }

    private func cleanDoomed(_ step: inout CleanStep, _ dryRun: Bool) throws {
        for name in try index.doomedFiles(now: clock.now()) { step.add(try index.root.file(name)?.bytes ?? 0) }
        if !dryRun { try index.sweep(now: clock.now()) }
    }

    private func cleanExpired(_ step: inout CleanStep, _ scope: ScopeName?, _ dryRun: Bool) throws {
        let now = clock.now()
        var last: Int64 = -1
        while case let found = try index.expired(after: last, of: scope, now: now), let end = found.last {
            try interruption.check()
            last = end.id
            let leases = try index.root.leases.live(at: now, in: index.root)
            let batch = try found.filter { try leases.end(of: $0.place) == nil }
            if dryRun {
                for entry in batch { step.add(entry.bytes) }
            } else {
                step.add(
                    try removing({ batch.map(\.place) }) { try index.removeExpired(batch.map(\.id), now: now) })
                try index.sweep(now: now)
            }
        }
    }

    private func cleanMetadata(_ step: inout CleanStep, _ scope: ScopeName?, _ dryRun: Bool) throws {
        let limit = clock.now() - Self.metadataKeptAfterExpiry
        if dryRun { return step.add(try index.expiredMetadata(before: limit, of: scope)) }
        while true {
            try interruption.check()
            // There are no files that could go first on a full disk.
            let batch = try removing({ [] }) {
                try index.removeMetadata(expiredBefore: limit, of: scope, now: clock.now())
            }
            if batch.entries == 0 { return }
            step.add(batch)
        }
    }

    private func cleanOverCapacity(_ step: inout CleanStep, _ dryRun: Bool, freed: Int) throws {
        let now = clock.now()
        if dryRun { return step.add(try index.trimPreview(capacity: settings.capacity, freed: freed, now: now)) }
        step.add(try trimToCapacity(now: now))
    }

    private func cleanOrphans(_ step: inout CleanStep, _ dryRun: Bool) throws {
        try forEachOrphan { folder, files in
            func remove(_ file: String) throws {
                let name = "\(folder.name)/\(file)"
                guard let found = try index.root.file(name) else { return }
                step.add(found.bytes)
                if !dryRun { index.root.remove(name) }
            }
            if dryRun { return try files.forEach(remove) }
            try index.withFilesWithoutRow(files, folder: folder.scope, now: clock.now(), remove: remove)
        }
    }

    /// Gives the files that have neither row nor lease, a folder's at a time and no more than a transaction is to remove. Some may
    /// have got their rows by the time that they are given.
    func forEachOrphan(_ body: (CacheRoot.BlobFolder, [String]) throws -> Void) throws {
        try index.root.forEachBlobFolder { folder in
            try interruption.check()
            let files = try index.root.names(in: folder.name).filter { CacheRoot.name(ofBlob: $0) != nil }
            let leases = try index.root.leases.live(at: clock.now(), in: index.root)
            var rest = try index.filesWithoutRow(files, folder: folder.scope).filter {
                try leases.end(of: "\(folder.name)/\($0)") == nil
            }[...]
            while !rest.isEmpty {
                try body(folder, Array(rest.prefix(TrimPlan.batch)))
                rest = rest.dropFirst(TrimPlan.batch)
            }
        }
    }

    private func cleanPartials(_ step: inout CleanStep, _ dryRun: Bool) throws {
        step.add(try leftPartials(removing: !dryRun))
    }

    /// Counts the files in `partial/` whose key's lock nobody holds, but for previews with a lease, and removes them if
    /// told to.
    func leftPartials(removing: Bool) throws -> Removal {
        let root = index.root
        var left = Removal()
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

    /// Files of locks lie only where an earlier version, or a system without locks of bytes, has left them.
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

    /// Those that were set aside longer ago than a lease: by then nobody repairs anything by them.
    private func cleanDamagedIndexes(_ step: inout CleanStep, _ dryRun: Bool) throws {
        let limit = clock.now() - settings.lease
        for name in try index.root.damagedIndexes {
            guard let found = try index.root.file(name), found.changed < limit else { continue }
            step.add(found.bytes)
            if !dryRun { index.root.remove(name) }
        }
    }

    /// A scope's at a time and within a transaction, as files are put in place within one: nobody loses a folder that
    /// he has just made.
    private func cleanFolders(_ step: inout CleanStep) throws {
        let root = index.root
        // Their number stands for what has been purged, see `CacheRoot.beginGeneration`.
        if try isPurgePending() { return }
        // Those within others first.
        for scope in try root.scopeFolders().reversed() {
            try interruption.check()
            let name = "\(CacheRoot.scopes)/\(scope)"
            let inner = try root.names(in: name).filter { $0.utf8.count == 2 }.map { "\(name)/\($0)" }
            try index.whileNothingIsPlaced(now: clock.now()) {
                for folder in inner + [name] where root.removeFolder(folder) { step.add(0) }
            }
        }
    }
}
