import Libc
import Support

/// The entries of a scope, shared with all processes that use the same root.
///
/// All methods block and are thread-safe. Entries appear completely or not at all. A damaged entry, or an entry without
/// its file, counts as absent.
///
/// Methods throw `CacheFailure` if the root or its index cannot be used, or if the root cannot be changed and the
/// method changes it; `SystemFailure` if a system call fails; and `Cancelled` if the run is stopped. No method uses the
/// network unless its name says so.
public final class CacheStore: Sendable {
    public let settings: CacheSettings
    /// Inspects bytes before they are stored.
    public let inspect: Inspection
    package let index: Index
    package let active: ActiveScope
    package let clock: Clock
    package let log: Log
    package let metrics: Metrics
    package let interruption: Interruption
    package let lease: Lease
    /// The storage that other machines share, if any.
    package let remote: (any RemoteTier)?
    /// The recently leased entries.
    let recent: Monitor<LRU<RecentEntry>>
    let trimming = Monitor(Trimming())

    /// The time that a run may spend at its end on purged files, too short to notice.
    private static let purgeTime: Duration = .milliseconds(50)
    /// The time that a run may spend at its end on trimming.
    private static let trimTime: Duration = .milliseconds(250)

    /// Opens the cache. A missing root counts as empty and is created by the first write. Costs some tenths of a
    /// millisecond, independent of the number of entries. Throws `CacheFailure`: `cannotMakeRoot`, `notACache`,
    /// `newerLayout`, `io`, `busy`; `UnsafePlace` for a root that others could have prepared or may change.
    ///
    /// - Parameters:
    ///   - remote: the storage that other machines share, if any.
    ///   - inspect: inspects bytes before they are stored, and throws to refuse them.
    public convenience init(
        settings: CacheSettings, remote: (any RemoteTier)? = nil, clock: Clock = .system, log: Log = .silent,
        metrics: Metrics = .silent, interruption: Interruption, inspect: @escaping Inspection
    ) throws {
        try self.init(
            settings: settings, index: nil, remote: remote, clock: clock, log: log, metrics: metrics,
            interruption: interruption, inspect: inspect)
    }

    /// - Parameter index: the index of the root, if it is open already.
    package init(
        settings: CacheSettings, index: Index?, remote: (any RemoteTier)?, clock: Clock, log: Log, metrics: Metrics,
        interruption: Interruption, inspect: @escaping Inspection
    ) throws {
        self.settings = settings
        self.remote = settings.isOffline ? nil : remote
        self.clock = clock
        self.log = log
        self.metrics = metrics
        self.interruption = interruption
        self.inspect = inspect
        lease = Lease(promise: settings.lease)
        recent = Monitor(LRU(countLimit: settings.recentEntries, costLimit: settings.recentBytes))
        self.index = try index ?? Index(root: settings.cacheRoot, log: log, interruption: interruption)
        active = ActiveScope(
            name: try settings.scope ?? self.index.currentScope() ?? .standard, followsCurrent: settings.scope == nil,
            followedRoot: settings.followedRoot.map { CacheRoot($0, isShared: settings.allowsSharedRoot) })
        self.index.beginUse()
    }

    deinit { if index.endUse() { close() } }

    public var scope: ScopeName { active.name }

    /// The absolute path of the root.
    public var root: String { index.root.path }

    /// Returns the entry of a key, expired or not.
    ///
    /// - Parameter handingOut: whether the caller will use the path. If so, the entry becomes the most recently used
    ///   and its lease begins, which costs at most one small write per minute and entry.
    public func lookup(_ key: CacheKey, handingOut: Bool = true) throws -> Entry? {
        try observed(.lookup, key) {
            var wasLost = false
            let version = index.version()
            if let entry = recentEntry(key.text, version: version) {
                count(.hit, entry)
                flushIfDue()
                return (entry, .hit)
            }
            guard let found = try validated(key, onLoss: { wasLost = true }),
                let entry = handingOut ? try handOut(found, version: version) : found
            else {
                index.count(in: scope) { $0.add(miss: wasLost ? .lost : .absent) }
                return nil
            }
            remember(entry, as: key.text, version: version)
            let status = status(of: entry)
            count(status, entry)
            return (entry, status)
        }?.entry
    }

    public func status(of entry: Entry) -> CacheStatus { entry.isExpired(at: clock.now()) ? .stale : .hit }

    public func state(of entry: Entry) -> EntryState { entry.state(at: clock.now()) }

    /// Removes an entry and its variants, regardless of leases. Returns false if there was none.
    @discardableResult
    public func remove(_ key: CacheKey) throws -> Bool {
        try requireWriting()
        let removal = try index.remove(key.name, in: scope, sparesPinned: false, now: clock.now())
        try index.sweep(now: clock.now())
        if let removal { metrics.add(removalEvent(key: key.text, removal)) }
        return removal != nil
    }

    /// Writes the pending counts of all scopes, trims if expired leases permit it now, and continues pending purges for
    /// a short time. Runs when the last cache of this process on this root is released; a tool that ends by `exit`
    /// calls it. The cache remains usable.
    public func close() {
        if index.isReadOnly { return }
        do {
            try index.withShortWaits {
                if index.hasCounts {
                    try index.flush(now: clock.now())
                    // A run that only looked something up must not pay for a reduction of the capacity by a million
                    // entries.
                    trim(atMost: Self.trimTime)
                }
                reportDemand()
                if index.takeHasWritten() { try continuePurges(for: Self.purgeTime) }
                index.settleLog()
            }
        } catch {
            log.detail("the cache was not put in order: \(failure(of: error).message)")
        }
    }

    // MARK: Used by extensions

    /// Returns the entry with this name if its file matches its row. Removes a wrong row.
    ///
    /// - Parameters:
    ///   - isLocked: whether the caller holds the entry's lock.
    ///   - onLoss: called if there is a row without its file.
    package func validated(_ name: String, isLocked: Bool = false, onLoss: () -> Void = {}) throws -> Entry? {
        try index.find(name, in: scope).flatMap { try checked($0, isLocked: isLocked, onLoss: onLoss) }
    }

    /// The same for a row that was read.
    func checked(_ found: Entry, isLocked: Bool, onLoss: () -> Void = {}) throws -> Entry? {
        var entry = found
        if entry.isUnsettled {
            guard let settled = try settle(entry, isLocked: isLocked) else { return nil }
            entry = settled
        }
        if try index.root.isWhole(entry) { return entry }
        onLoss()
        // The file was removed, or the whole root.
        try index.reopenIfReplaced()
        if !index.isReadOnly {
            try index.heal(entry.name, in: scope, now: clock.now(), isSound: index.root.isWhole)
            log.detail("the file of \(entry.key ?? entry.name) was lost: its entry is dropped")
        }
        return nil
    }

    /// Checks whether an unsettled entry matches its file and the file is acceptable. Waits for a process that replaces
    /// the file.
    private func settle(_ entry: Entry, isLocked: Bool) throws -> Entry? {
        if index.isReadOnly { return try isRight(entry) ? entry : nil }
        let lock = isLocked ? nil : try lock(entry.name)
        defer { withExtendedLifetime(lock) {} }
        guard let entry = try index.find(entry.name, in: scope) else { return nil }
        if !entry.isUnsettled { return entry }
        if try isRight(entry) {
            try index.setUnsettled(entry, false, now: clock.now())
            return entry
        }
        // The file was renamed, and the process died before the commit. It is complete.
        if entry.kind == .original,
            let stored = try recover(
                entry.file, folder: index.folder(of: scope), name: scope, key: entry.key, url: entry.url)
        {
            return stored
        }
        try index.heal(entry.name, in: scope, now: clock.now()) { !$0.isUnsettled }
        return nil
    }

    /// Whether an entry's file has the SHA-256 of its row, and passes the inspection if it is an original.
    private func isRight(_ entry: Entry) throws -> Bool {
        guard try index.root.hasContent(of: entry), let file = try index.root.openIfPresent(entry.place) else {
            return false
        }
        // Truncated originals are kept on request.
        let isKeptAnyway = entry.key?.hasPrefix(CacheKey.truncatedPrefix) == true
        return try entry.kind != .original || isKeptAnyway || wholePicture(file) != nil
    }

    /// Records the expiry of a leased entry and its variants. Ignores a read-only root.
    package func expire(_ entry: Entry) throws {
        if index.isReadOnly { return }
        try toleratingUnwritable { try index.expire(entry, at: entry.expiresAt, now: clock.now()) }
    }

    /// Locks the name of an entry, to fetch, make or remove it. Throws `CacheFailure.stalled` if the holder makes no
    /// progress for `settings.timeout`, and the errors of `whileWaiting`.
    ///
    /// - Parameter generation: the generation of the partial file that grows while the lock is held.
    package func lock(
        _ name: String, for work: LockedWork.Kind = .making, generation: Int64 = 0, whileWaiting: () throws -> Void = {}
    ) throws -> KeyLock {
        let lock = try KeyLock(
            root: index.root, CacheRoot.lock(name, in: scope),
            for: LockedWork(
                work, file: CacheRoot.partial(name, in: scope, generation: generation), limit: settings.timeout),
            interruption: interruption, whileWaiting: whileWaiting)
        // The root may have been removed during the run.
        try index.reopenIfReplaced()
        return lock
    }

    /// Whether a lookup at a version of the index (`Index.version`) must be repeated under the lock, because another
    /// thread or process held the lock or the index has changed.
    package func isOutdated(_ version: Int?, under lock: KeyLock) -> Bool {
        lock.wasContended || version == nil || index.version() != version
    }

    /// Runs work that a signal does not interrupt, and again if the root was removed during it: the lock in `body`
    /// creates a new root.
    package func withstanding<Result>(_ body: () throws -> Result) throws -> Result {
        try interruption.during { try againIfRemoved(body) }
    }

    /// Runs `body`, and up to three times more if it fails because the root was removed. A removal takes time and may
    /// affect a part of the new root. The locks are removed too, so a process that held a lock may rename this
    /// process's file.
    package func againIfRemoved<Result>(_ body: () throws -> Result) throws -> Result {
        for _ in 0..<3 {
            let before = index.identity
            do {
                return try body()
            } catch
                where Self.isOfRemoval(error)
                || (error is SystemFailure || error is CacheFailure)
                    && (try? index.root.indexIdentity() != before) == true
            {
                log.detail("the folder of the cache was removed: \(failure(of: error).message)")
            }
            try index.reopenIfReplaced()
        }
        do {
            return try body()
        } catch is PartialFile.Lost {
            throw CacheFailure.replaced(root: index.root.path)
        }
    }

    package static func isOfRemoval(_ error: any Error) -> Bool {
        error is PartialFile.Lost || (error as? SystemFailure)?.code == "no-such-file"
    }

    /// Writes pending counts that are due.
    func flushIfDue() {
        if index.owesCounts, !index.isReadOnly {
            try? index.flush(now: clock.now(), patience: bookkeepingPatience)
        }
    }

    /// Creates a missing root. Throws `CacheFailure.readOnly` if nothing can be written to it.
    package func requireWriting() throws {
        try index.make()
        if index.isReadOnly { throw CacheFailure.readOnly(root: root) }
    }

    package func count(_ status: CacheStatus, _ entry: Entry) {
        index.count(in: scope) { tally in
            switch status {
            case .hit: tally.add(.hits)
            case .stale: tally.add(.stale)
            case .revalidated: tally.add(.revalidated)
            case .miss: tally.add(miss: .absent)
            case .bypass: tally.add(miss: .policy)
            case .kept: tally.add(.kept)
            }
            if status != .miss { tally.add(.bytesServed, entry.bytes) }
        }
    }

    /// Puts a finished file in place as an entry, and trims the root to its capacity.
    ///
    /// - Parameters:
    ///   - temporary: the file's name below the root.
    ///   - old: the entry that it replaces.
    package func keep(_ temporary: String, as new: NewEntry, replacing old: Entry?, generation: Int64) throws -> Entry {
        let now = clock.now()
        if let old, old.file == new.file, old.sha256 != new.sha256 { try index.setUnsettled(old, true, now: now) }
        index.count(in: scope) { $0.add(.bytesWritten, new.bytes) }
        index.note(stored: new.bytes)
        guard let place = CacheRoot.blob(new.file, folder: scope.folder(generation: generation)) else {
            throw CacheFailure.fault(detail: "\(new.file) is no name for an entry's file")
        }
        if new.kind == .original, settings.memory == nil, let key = new.key {
            // Without extended attributes, the loss of the index loses the key of the entry, and nothing else.
            _ = try? index.root.open(temporary, O_RDONLY).setAttribute(CacheRoot.keyAttribute, key)
        }
        var folder = try index.root.folderToFill(place)
        let (entry, size) = try index.commit(new, in: active, generation: generation, now: now) { isPinned in
            if isPinned, settings.memory == nil {
                CacheRoot.notePin(true, in: try index.root.open(temporary, O_RDONLY))
            }
            folder = try index.root.put(temporary, at: place, in: folder)
        }
        if settings.memory != nil {
            // The log takes memory, and copying it into the database needs no disk sync.
            index.settleLog(over: 1)
        } else {
            // After the transaction: a file without a row is recovered, a row without a file is lost.
            try folder.synchronize()
        }
        trim(size)
        return entry
    }
}
