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
    let trimmer: Trimmer

    /// The time for removing purged files when a run ends, too short to notice.
    private static let purgeTime: Duration = .milliseconds(50)
    /// The time for recovering files when a run ends.
    private static let rebuildTime: Duration = .milliseconds(50)
    /// The time for trimming when a run ends.
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
        trimmer = Trimmer(self.index, settings: settings, clock: clock, log: log, metrics: metrics)
        active = ActiveScope(
            name: try settings.scope ?? self.index.currentScope() ?? .standard, followsCurrent: settings.scope == nil,
            followedRoot: settings.followedRoot.map { CacheRoot($0, isShared: settings.allowsSharedRoot) })
        self.index.beginUse()
    }

    deinit { if index.endUse() { close() } }

    public var scope: ScopeName { active.name }

    /// The absolute path of the root.
    public var root: String { index.root.path }

    public var scopes: CacheScopes { CacheScopes(cache: self) }
    public var metadata: CacheMetadata { CacheMetadata(cache: self) }
    public var copies: FileCopies { FileCopies(cache: self) }
    public var maintenance: CacheMaintenance { CacheMaintenance(cache: self) }

    var recovery: Recovery {
        Recovery(
            index: index, currentScope: scope, ttl: settings.ttl, lease: lease, clock: clock, log: log,
            interruption: interruption, inspect: inspect)
    }

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
                let entry = handingOut ? try extendLease(of: found, version: version) : found
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
        try index.requireWriting()
        let removal = try index.remove(key.name, in: scope, sparesPinned: false, now: clock.now())
        try index.sweep(now: clock.now())
        if let removal { metrics.add(removalEvent(key: key.text, removal)) }
        return removal != nil
    }

    /// Forgets the failures and copies of a key, with or without an entry.
    public func forget(_ key: CacheKey) throws {
        try index.requireWriting()
        try index.forget(key.name, in: scope, now: clock.now())
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
                    trimmer.trim(atMost: Self.trimTime)
                }
                trimmer.reportDemand()
                if index.takeHasWritten() {
                    try scopes.continuePurges(for: Self.purgeTime)
                    if settings.memory == nil { try recovery.continueRebuild(for: Self.rebuildTime) }
                }
                index.settleLog()
            }
        } catch {
            log.detail("the cache was not put in order: \(failure(of: error).message)")
        }
    }

    // MARK: Used by extensions

    /// Returns the entry with this name if its file matches its row. Removes a wrong row.
    ///
    /// - Parameter onLoss: called if there is a row without its file.
    package func validated(_ name: String, onLoss: () -> Void = {}) throws -> Entry? {
        try index.find(name, in: scope).flatMap { try checked($0, onLoss: onLoss) }
    }

    /// The same for a row that was read.
    func checked(_ found: Entry, onLoss: () -> Void = {}) throws -> Entry? {
        switch try fileState(of: found) {
        case .right: return found
        case .unconfirmed: return try confirmed(found)
        case .missing: onLoss()
        }
        // The file was removed, or the whole root.
        try index.reopenIfReplaced()
        if !index.isReadOnly {
            try index.heal(found, now: clock.now()) { try !index.root.isWhole($0) }
            log.detail("the file of \(found.key ?? found.name) was lost: its entry is dropped")
        }
        return nil
    }

    /// The state of an entry's file, as far as a single system call shows it.
    enum FileState {
        /// It is missing or has another size.
        case missing
        /// It must be compared with its row before its use: it may not have reached the disk before the machine
        /// stopped, or needs another inspection.
        case unconfirmed
        case right
    }

    func fileState(of entry: Entry) throws -> FileState {
        guard let status = try index.root.wholeFile(entry) else { return .missing }
        if entry.isUnsettled { return .unconfirmed }
        let isRight =
            try entry.boot.map { try $0 != 0 && $0 == index.root.boot }
            ?? entry.modified.map { $0 == status.modifiedNanoseconds } ?? true
        return isRight ? .right : .unconfirmed
    }

    /// Compares a file with its row, once: the entry is then durable. Removes the row of a file with other bytes.
    private func confirmed(_ found: Entry) throws -> Entry? {
        guard let file = try index.root.openIfPresent(found.place), try isRight(found, file) else {
            return try replaced(found)
        }
        var entry = found
        entry.isUnsettled = false
        if index.isReadOnly { return entry }
        try toleratingUnwritable {
            // The bytes may still be in memory only if the cache was just copied.
            try synchronize(file, of: &entry)
            try index.settle([entry], now: clock.now())
        }
        return entry
    }

    /// Waits until the bytes of an entry are on the disk.
    private func synchronize(_ file: File, of entry: inout Entry) throws {
        try index.root.writing { try file.synchronize() }
        entry.boot = nil
        entry.modified = try FileStatus(of: file.descriptor, path: file.path).modifiedNanoseconds
    }

    /// Whether an entry's file has the SHA-256 of its row, and passes the inspection if it is due.
    private func isRight(_ entry: Entry, _ file: File) throws -> Bool {
        guard try BlobStore.sha256(of: file) == entry.sha256 else { return false }
        // Truncated originals are kept on request.
        let isKeptAnyway = entry.key?.hasPrefix(CacheKey.truncatedPrefix) == true
        return try !entry.isUnsettled || entry.kind != .original || isKeptAnyway || recovery.wholePicture(file) != nil
    }

    /// Removes an entry whose file has other bytes than its row. Returns the entry that the file deserves: a complete
    /// picture whose writer died before the commit, as earlier versions left it.
    private func replaced(_ entry: Entry) throws -> Entry? {
        if index.isReadOnly { return nil }
        index.count(in: scope) { $0.add(.lostWrites) }
        log.detail("the bytes of \(entry.key ?? entry.name) did not reach the disk: its entry is dropped")
        try index.heal(entry, now: clock.now()) { $0.id == entry.id && $0.sha256 == entry.sha256 }
        guard entry.kind == .original else { return nil }
        return try recovery.recover(
            Recovery.LostFile(
                entry.file, folder: index.folder(of: scope), scope: scope, key: entry.key, url: entry.url))
    }

    /// Waits until the files and rows of entries are on the disk, and returns the entries in their order. Does nothing
    /// for durable entries.
    @discardableResult
    package func makeDurable(_ entries: [Entry]) throws -> [Entry] {
        let places = settings.memory == nil ? entries.indices.filter { entries[$0].boot != nil } : []
        if places.isEmpty { return entries }
        var result = entries
        for place in places {
            guard let file = try index.root.openIfPresent(entries[place].place) else { continue }
            try synchronize(file, of: &result[place])
            try index.root.synchronizeFolders(of: entries[place].place)
        }
        try index.settle(places.map { result[$0] }, now: clock.now())
        try index.synchronize()
        return result
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

    /// Runs work that a signal does not interrupt, and again if the root was removed during it: the lock in `body`
    /// creates a new root.
    package func withstanding<Result>(_ body: () throws -> Result) throws -> Result {
        try interruption.during { try index.againIfRemoved(body) }
    }

    /// Writes pending counts that are due.
    func flushIfDue() {
        if index.owesCounts, !index.isReadOnly {
            try? index.flush(now: clock.now(), patience: bookkeepingPatience)
        }
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
    /// With `settings.syncs`, and for a pinned entry, waits until file, folders and row are on the disk.
    ///
    /// - Parameters:
    ///   - temporary: the file's name below the root.
    ///   - old: the entry that it replaces.
    package func keep(_ temporary: String, as new: Entry, replacing old: Entry?, generation: Int64) throws -> Entry {
        let now = clock.now()
        var new = new
        let scopeFolder = scope.folder(generation: generation)
        func place(_ file: String) throws -> String {
            if let place = CacheRoot.blob(file, folder: scopeFolder) { return place }
            throw CacheFailure.fault(detail: "\(file) is no name for an entry's file")
        }
        let isInMemory = settings.memory != nil
        let syncs = !isInMemory && (settings.syncs || old?.isPinned == true)
        if !syncs, !isInMemory { new.boot = try index.root.boot }
        index.count(in: scope) { $0.add(.bytesWritten, new.bytes) }
        index.note(stored: new.bytes)
        if !isInMemory, syncs || new.kind == .original {
            let file = try index.root.open(temporary, O_RDONLY)
            // Without extended attributes, the loss of the index loses the key of the entry, and nothing else.
            if new.kind == .original, let key = new.key { _ = file.setAttribute(CacheRoot.keyAttribute, key) }
            if old?.isPinned == true { CacheRoot.notePin(true, in: file) }
            if syncs { try synchronize(file, of: &new) }
        }
        var folder = try index.root.folderToFill(place(new.file))
        let (stored, size) = try index.commit(new, in: active, generation: generation, now: now) { new in
            if new.isPinned, !isInMemory { CacheRoot.notePin(true, in: try index.root.open(temporary, O_RDONLY)) }
            folder = try index.root.put(temporary, at: place(new.file), in: folder)
        }
        // The log takes memory, and copying it into the database needs no disk sync.
        if isInMemory { index.settleLog(over: 1) }
        if syncs {
            try index.root.synchronizeFolders(of: stored.place)
            try index.synchronize()
        }
        // Another process may just have pinned it.
        let entry = stored.isPinned ? try makeDurable([stored])[0] : stored
        trimmer.trim(size)
        return entry
    }
}
