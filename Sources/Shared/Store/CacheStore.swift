import Libc
import Support

/// The entries of a scope, shared with all processes that use the same root.
///
/// All methods block and are thread-safe. Entries appear completely or not at all. A damaged entry, or an entry without
/// its file, is treated as absent.
///
/// Methods throw `CacheFailure` if the root or its index cannot be used, or if the method writes and the root is
/// read-only; `SystemFailure` if a system call fails; and `Cancelled` if the run is stopped. Only the methods that
/// fetch or use the remote send requests over the network.
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
    /// The storage shared with other machines, if any.
    package let remote: (any RemoteTier)?
    let recent: Monitor<LRU<RecentEntry>>
    /// No trim is attempted before this time, because the last trim found only leased and pinned entries.
    let trimsNotBefore = Monitor(Timestamp(milliseconds: .min))

    // The time limits of the maintenance at the end of a run, short enough not to be noticed.
    private static let purgeTime: Duration = .milliseconds(50)
    private static let rebuildTime: Duration = .milliseconds(50)
    private static let trimTime: Duration = .milliseconds(250)

    /// Opens the cache. A missing root is treated as empty, and the first write creates it. Costs a few tenths of a
    /// millisecond, regardless of the number of entries. Throws `CacheFailure`: `cannotMakeRoot`, `notACache`,
    /// `newerLayout`, `io`, `busy`; `UnsafePath` for a root that belongs to another user or that other users can
    /// change.
    ///
    /// - Parameters:
    ///   - index: the index of the root, if it is already open.
    ///   - remote: the storage shared with other machines, if any.
    ///   - inspect: inspects bytes before they are stored, and throws to refuse them.
    package init(
        settings: CacheSettings, index: Index? = nil, remote: (any RemoteTier)? = nil, clock: Clock = .system,
        log: Log = .silent, metrics: Metrics = .silent, interruption: Interruption, inspect: @escaping Inspection
    ) throws {
        self.settings = settings
        self.remote = settings.isOffline ? nil : remote
        self.clock = clock
        self.log = log
        self.metrics = metrics
        self.interruption = interruption
        self.inspect = inspect
        lease = Lease(term: settings.lease)
        recent = Monitor(LRU(countLimit: settings.recentEntries, costLimit: settings.recentBytes))
        self.index = try index ?? Index(root: settings.cacheRoot, log: log, interruption: interruption)
        active = ActiveScope(
            name: try settings.scope ?? self.index.perform { try $0.database.currentScope() } ?? .standard,
            followsCurrent: settings.scope == nil,
            followedRoot: settings.followedRoot.map { CacheRoot($0, isShared: settings.allowsSharedRoot) })
        self.index.beginUse()
    }

    deinit { if index.endUse() { close() } }

    public var scope: ScopeName { active.name }

    /// The absolute path of the root.
    public var root: String { index.root.path }

    var trimmer: Trimmer { Trimmer(cache: self) }

    var recovery: Recovery {
        Recovery(
            index: index, currentScope: scope, ttl: settings.ttl, lease: lease, clock: clock, log: log,
            interruption: interruption, inspect: inspect)
    }

    /// Returns the entry of a key, even if it has expired.
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
                index.count(in: scope) { $0.add(miss: wasLost ? .missesLost : .missesAbsent) }
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

    /// Deletes the cached failures and the recorded copies of a key, even if the key has no entry.
    public func forget(_ key: CacheKey) throws {
        try index.requireWriting()
        try index.write(now: clock.now()) { connection in
            guard let scopeID = try connection.scopes.live(scope).id else { return }
            try connection.deleteNegativesAndCopies(of: key.name, in: scopeID)
        }
    }

    /// Writes the pending counts of all scopes, trims the root, and continues pending purges and recoveries for a short
    /// time. Runs when the last `CacheStore` of this process on this root is released; a tool that ends with `exit`
    /// must call this method. The cache remains usable.
    public func close() {
        if index.isReadOnly { return }
        do {
            try index.withShortWaits {
                try index.flush(now: clock.now())
                if index.takeHasWritten() {
                    let state = try index.perform { try $0.totals.rootState() }
                    // Limit the time: after the capacity was reduced, a run that only looked up one entry could
                    // otherwise have to remove a million other entries.
                    trimmer.trim(state, atMost: Self.trimTime)
                    if state.isPurgePending { try scopes.continuePurges(for: Self.purgeTime) }
                    if settings.memory == nil { try recovery.continueRebuild(for: Self.rebuildTime) }
                }
                trimmer.reportDemand()
                index.checkpointLog()
            }
        } catch {
            log.detail("cannot maintain the cache: \(failure(of: error).message)")
        }
    }

    /// Returns the row with this name. Its file may be missing.
    func row(_ name: String) throws -> Entry? { try index.perform { try $0.entries.find(name, in: scope) } }

    /// Returns the folder of the scope's current generation.
    func folder() throws -> String { try index.perform { try $0.scopes.folder(of: scope) } }

    /// Waits until the files and rows of entries are on the disk. Returns the entries in the same order. Skips entries
    /// that are already durable.
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
        try index.write(now: clock.now()) { connection in
            for place in places { try connection.entries.settle(result[place]) }
        }
        try index.synchronize()
        return result
    }

    func synchronize(_ file: File, of entry: inout Entry) throws {
        try index.root.writing { try file.synchronize() }
        entry.boot = nil
        entry.modified = try FileStatus(of: file.descriptor, path: file.path).modifiedNanoseconds
    }

    /// Records the expiry of a leased entry and its variants. Does nothing if the root is read-only.
    package func expire(_ entry: Entry) throws {
        if index.isReadOnly { return }
        try toleratingUnwritable {
            try index.write(now: clock.now()) { try $0.entries.expire(entry, at: entry.expiresAt) }
        }
    }

    /// Acquires the lock with this name in the scope, for example the lock of an entry before the entry is fetched or
    /// made. Throws `CacheFailure.stalled` if the process that holds the lock makes no progress for `settings.timeout`,
    /// and the errors of `whileWaiting`.
    ///
    /// - Parameter generation: the generation of the entry's partial file, whose growth shows progress.
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

    /// Runs `body`. If a signal arrives, the process ends only after `body` has ended. If `body` fails because the root
    /// was removed, runs it again, up to three times: `body` acquires a key's lock, which creates a new root.
    package func withstanding<Result>(_ body: () throws -> Result) throws -> Result {
        try interruption.during { try index.againIfRemoved(body) }
    }

    func flushIfDue() {
        if index.owesCounts, !index.isReadOnly {
            try? index.flush(now: clock.now(), patience: bookkeepingTimeout)
        }
    }

    package func count(_ status: CacheStatus, _ entry: Entry) {
        index.count(in: scope) { tally in
            switch status {
            case .hit: tally.add(.hits)
            case .stale: tally.add(.stale)
            case .revalidated: tally.add(.revalidated)
            case .miss: tally.add(miss: .missesAbsent)
            case .bypass: tally.add(miss: .missesPolicy)
            case .kept: tally.add(.kept)
            }
            if status != .miss { tally.add(.bytesServed, entry.bytes) }
        }
    }

    /// Renames a finished file into place, inserts the row of its entry in the same transaction, and trims the root to
    /// its capacity.
    ///
    /// If `settings.syncs` is set or the entry is pinned, waits until file, folders and row are on the disk.
    ///
    /// - Parameters:
    ///   - temporary: the file's name below the root.
    ///   - old: the entry that `new` replaces.
    package func keep(_ temporary: String, as new: Entry, replacing old: Entry?, generation: Int64) throws -> Entry {
        let now = clock.now()
        var new = new
        let scopeFolder = scope.folder(generation: generation)
        func place(_ file: String) throws -> String {
            if let place = CacheRoot.blob(file, folder: scopeFolder) { return place }
            throw CacheFailure.fault(detail: "\(file) is not a valid file name of an entry")
        }
        let isInMemory = settings.memory != nil
        let syncs = !isInMemory && (settings.syncs || old?.isPinned == true)
        if !syncs, !isInMemory { new.boot = try index.root.boot }
        index.count(in: scope) { $0.add(.bytesWritten, new.bytes) }
        index.demand.withLock { $0.stored += new.bytes }
        if !isInMemory, syncs || new.kind == .original {
            let file = try index.root.open(temporary, O_RDONLY)
            // If the file system has no extended attributes, the loss of the index also loses the key.
            if new.kind == .original, let key = new.key { _ = file.setAttribute(CacheRoot.keyAttribute, key) }
            if old?.isPinned == true { CacheRoot.notePin(true, in: file) }
            if syncs { try synchronize(file, of: &new) }
        }
        var folder = try index.root.folderToFill(place(new.file))
        // Rename only once: the transaction runs again if the index is found damaged and replaced.
        var placed: String?
        let (stored, state) = try index.write(now: now) { connection in
            try connection.scopes.check(generation, of: active)
            let stored = try connection.entries.commit(new, placed: &placed, now: now) { new in
                if new.isPinned, !isInMemory { CacheRoot.notePin(true, in: try index.root.open(temporary, O_RDONLY)) }
                folder = try index.root.put(temporary, at: place(new.file), in: folder)
            }
            return (stored, try connection.totals.rootState())
        }
        // The write-ahead log occupies memory, and a checkpoint costs no disk sync here.
        if isInMemory { index.checkpointLog(over: 1) }
        if syncs {
            try index.root.synchronizeFolders(of: stored.place)
            try index.synchronize()
        }
        // Another process may have pinned the entry in the meantime.
        let entry = stored.isPinned ? try makeDurable([stored])[0] : stored
        trimmer.trim(state)
        return entry
    }
}
