import Libc
import Support

/// The files of one scope, kept on the disk and shared with every other process that uses the same root.
///
/// All calls block, and may come from any number of threads. Entries appear whole or not at all; one that turns out
/// to be damaged or without its file is treated as absent.
public final class CacheStore: Sendable {
    public let settings: CacheSettings
    /// Looks at bytes before they are stored.
    public let inspect: Inspection
    package let index: Index
    package let active: ActiveScope
    package let clock: Clock
    package let log: Log
    package let metrics: Metrics
    package let interruption: Interruption
    package let lease: Lease
    /// What is shared with other machines; nil for nothing.
    package let remote: (any RemoteTier)?
    /// What was handed out lately.
    let recent: Monitor<LRU<RecentEntry>>
    let trimming = Monitor(Trimming())

    /// How long a run may spend at its end on files that purges have left: too short to be felt.
    private static let purgeTime: Duration = .milliseconds(50)
    /// How long trimming may take at the end of a run.
    private static let trimTime: Duration = .milliseconds(250)

    /// Opens the cache. A missing root counts as an empty one; it is made when something is kept. Costs some tenths of
    /// a millisecond, however many entries there are. Throws `CacheFailure`: `cannotMakeRoot`, `notACache`,
    /// `newerLayout`, `io`, `busy`; `UnsafePlace` for a root that others could have prepared or may change.
    ///
    /// - Parameters:
    ///   - remote: what is shared with other machines; nil for nothing.
    ///   - inspect: looks at bytes before they are stored, and throws if they are not to be.
    public convenience init(
        settings: CacheSettings, remote: (any RemoteTier)? = nil, clock: Clock = .system, log: Log = .silent,
        metrics: Metrics = .silent, interruption: Interruption, inspect: @escaping Inspection
    ) throws {
        try self.init(
            settings: settings, index: nil, remote: remote, clock: clock, log: log, metrics: metrics,
            interruption: interruption, inspect: inspect)
    }

    /// - Parameter index: that of the root, if it is open already.
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

    /// The scope in use.
    public var scope: ScopeName { active.name }

    /// The absolute path of the root.
    public var root: String { index.root.path }

    /// The entry of this key, expired or not; nil if there is none. Never asks the network. Throws `CacheFailure` if
    /// the index cannot be used, and `Cancelled` if the run is stopped while others keep it busy.
    ///
    /// - Parameter handingOut: whether the path is to be used, which makes the entry the most recently used and begins
    ///   a lease. At most one small write a minute and entry.
    public func lookup(_ key: CacheKey, handingOut: Bool = true) throws -> Entry? {
        try observed(.lookup, key) {
            var wasLost = false
            let version = index.version()
            if let entry = recalled(key.text, version: version) {
                count(.hit, entry)
                flushIfDue()
                return (entry, .hit)
            }
            guard let found = try sound(key, onLoss: { wasLost = true }),
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

    /// Returns `hit` for a fresh entry that is handed out, `stale` for an expired one.
    public func status(of entry: Entry) -> CacheStatus { entry.isExpired(at: clock.now()) ? .stale : .hit }

    public func state(of entry: Entry) -> EntryState { entry.state(at: clock.now()) }

    /// Removes an entry and its variants at once, whatever leases they have; false where there was none. Throws
    /// `CacheFailure` if the root cannot be used or changed, `SystemFailure`, and `Cancelled` if the run is stopped.
    @discardableResult
    public func remove(_ key: CacheKey) throws -> Bool {
        try requireWriting()
        let removal = try index.remove(key.name, in: scope, sparesPinned: false, now: clock.now())
        try index.sweep(now: clock.now())
        if let removal { metrics.add(removalEvent(key: key.text, removal)) }
        return removal != nil
    }

    /// Puts the root in order: writes what was counted and not written yet, of all scopes, trims if leases that have
    /// ended allow it now, and takes on a little of what purges have left. Called when the last cache of this process
    /// on this root goes; a tool that ends by `exit` calls it itself. The cache stays usable.
    public func close() {
        if index.isReadOnly { return }
        do {
            try index.withShortWaits {
                if index.hasCounts {
                    try index.flush(now: clock.now())
                    // A run that only looked something up must not pay for a capacity that was cut by a million
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

    // MARK: Shared by what follows in other files

    /// The entry of this name, if its file is there as the index says. A row that is wrong is removed.
    /// - Parameters:
    ///   - isLocked: whether the caller holds the entry's lock.
    ///   - onLoss: is told that there was a row, and its file was not there.
    package func sound(_ name: String, isLocked: Bool = false, onLoss: () -> Void = {}) throws -> Entry? {
        try index.find(name, in: scope).flatMap { try checked($0, isLocked: isLocked, onLoss: onLoss) }
    }

    /// The entry, if its file is there as the row says. A row that is wrong is removed. Parameters as above.
    func checked(_ found: Entry, isLocked: Bool, onLoss: () -> Void = {}) throws -> Entry? {
        var entry = found
        if entry.isUnsettled {
            guard let settled = try settle(entry, isLocked: isLocked) else { return nil }
            entry = settled
        }
        if try index.root.isWhole(entry) { return entry }
        onLoss()
        // The file is gone, or the whole root is.
        try index.reopenIfReplaced()
        if !index.isReadOnly {
            try index.heal(entry.name, in: scope, now: clock.now(), isSound: index.root.isWhole)
            log.detail("the file of \(entry.key ?? entry.name) was lost: its entry is dropped")
        }
        return nil
    }

    /// Finds out whether an unsettled entry belongs to its file, and whether the file is acceptable: waits for the process
    /// that replaces it, else compares the content and inspects it.
    private func settle(_ entry: Entry, isLocked: Bool) throws -> Entry? {
        if index.isReadOnly { return try isRight(entry) ? entry : nil }
        let lock = isLocked ? nil : try lock(entry.name)
        defer { withExtendedLifetime(lock) {} }
        guard let entry = try index.find(entry.name, in: scope) else { return nil }
        if !entry.isUnsettled { return entry }
        if try isRight(entry) {
            try index.settle(entry, now: clock.now())
            return entry
        }
        // Put in place, and then cut short: it was whole before.
        if entry.kind == .original,
            let stored = try adopt(
                entry.file, folder: index.folder(of: scope), name: scope, key: entry.key, url: entry.url)
        {
            return stored
        }
        try index.heal(entry.name, in: scope, now: clock.now()) { !$0.isUnsettled }
        return nil
    }

    /// Whether an entry's file has the content of its row, and passes the inspection if it is an original.
    private func isRight(_ entry: Entry) throws -> Bool {
        guard try index.root.hasContent(of: entry), let file = try index.root.openIfPresent(entry.place) else {
            return false
        }
        // Truncated originals are kept on request.
        let isKeptAnyway = entry.key?.hasPrefix(CacheKey.truncatedPrefix) == true
        return try entry.kind != .original || isKeptAnyway || wholePicture(file) != nil
    }

    /// Writes down when an entry, which was just handed out, and its variants expire. A root that cannot be written
    /// keeps nobody from reading.
    package func expire(_ entry: Entry) throws {
        if index.isReadOnly { return }
        try toleratingUnwritable { try index.expire(entry, at: entry.expiresAt, now: clock.now()) }
    }

    /// The lock of one entry's name, for the process that fetches, makes or removes it. Throws `CacheFailure.stalled` if
    /// its holder makes no progress for `settings.timeout`, and the errors of `whileWaiting`.
    ///
    /// - Parameter generation: of the partial file that grows while the lock is held.
    package func lock(
        _ name: String, for work: LockedWork.Kind = .making, generation: Int64 = 0, whileWaiting: () throws -> Void = {}
    ) throws -> KeyLock {
        let lock = try KeyLock(
            root: index.root, CacheRoot.lock(name, in: scope),
            for: LockedWork(
                work, file: CacheRoot.partial(name, in: scope, generation: generation), limit: settings.timeout),
            interruption: interruption, whileWaiting: whileWaiting)
        // The root may have been removed under a running tool.
        try index.reopenIfReplaced()
        return lock
    }

    /// Whether what was known of an entry at a version of the index (`Index.version`) must be looked up once more, now
    /// that its lock is held: somebody else held the lock meanwhile, or something in the index has changed.
    package func isOutdated(_ version: Int?, under lock: KeyLock) -> Bool {
        lock.wasContended || version == nil || index.version() != version
    }

    /// Runs work that a signal lets finish; again where the root was removed under it, since the lock that `body` takes
    /// makes a new one.
    package func withstanding<Result>(_ body: () throws -> Result) throws -> Result {
        try interruption.during { try againIfRemoved(body) }
    }

    /// Runs `body`, and again where the root was removed under it and that is why it failed: three times at most. A
    /// removal takes its time and may take a part of the root that was made anew; and with the root go the locks, so
    /// that somebody who held one may have moved a file away under this one's hands.
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
                log.detail("the folder of the cache was removed meanwhile: \(failure(of: error).message)")
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

    /// Writes what was counted, if that was last done a while ago.
    func flushIfDue() {
        if index.owesCounts, !index.isReadOnly {
            try? index.flush(now: clock.now(), patience: bookkeepingPatience)
        }
    }

    /// Makes the root where it is missing. Throws `CacheFailure.readOnly` if nothing can be written to it.
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

    /// Puts a finished file in place as an entry, then keeps the root within its capacity.
    /// - Parameters:
    ///   - temporary: its name below the root.
    ///   - old: the entry that it replaces.
    package func keep(_ temporary: String, as new: NewEntry, replacing old: Entry?, generation: Int64) throws -> Entry {
        let now = clock.now()
        if let old, old.file == new.file, old.sha256 != new.sha256 { try index.unsettle(old, now: now) }
        index.count(in: scope) { $0.add(.bytesWritten, new.bytes) }
        index.note(stored: new.bytes)
        guard let place = CacheRoot.blob(new.file, folder: scope.folder(generation: generation)) else {
            throw CacheFailure.fault(detail: "\(new.file) is no name for an entry's file")
        }
        if new.kind == .original, settings.memory == nil, let key = new.key {
            // Where that does not work, a lost index costs the name of what is there, and nothing else.
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
            // The log takes memory there, and its copying into the database waits for no disk.
            index.settleLog(over: 1)
        } else {
            // With the index free for others: a file without a row finds its way back, a row without a file does not.
            try folder.synchronize()
        }
        trim(size)
        return entry
    }
}
