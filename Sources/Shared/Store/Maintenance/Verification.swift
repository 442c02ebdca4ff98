import Libc
import Support

/// Compares a root with its index: every row must have its file, every file must have the recorded content, and every
/// sum must match the rows.
///
/// Other processes may use the root concurrently. A suspected fault is checked again while the entry's lock is held or
/// within a transaction, so that a concurrent store or removal is not reported. Each transaction checks a single row,
/// except for the check of the sums. Without `repairs`, the only change is that entries with matching content are made
/// durable.
///
/// Partial files and files without rows, left by killed runs, are not reported as problems: all processes tolerate
/// them, and `clean` removes them. They are counted and, with `repairs`, removed.
public final class Verification: Sendable {
    private let settings: CacheSettings
    let jobs: Int
    private let repairs: Bool
    let clock: Clock
    private let log: Log
    private let progress: Progress
    let interruption: Interruption
    private let inspect: Inspection
    let selection: Selection?
    let found = Monitor(Found())

    struct Found {
        var step = VerificationStep(.index)
        var problems = 0
        /// The number of all entries; set by `mark`.
        var entries = 0
        var failure: (any Error)?
        /// The failure of the first file that could not be read.
        var unreadable: SystemFailure?
    }

    public typealias Report = @Sendable (VerificationEvent) throws -> Void

    /// - Parameters:
    ///   - jobs: the number of files read concurrently.
    ///   - selection: limits the verification to some entries; nil for all.
    public init(
        settings: CacheSettings, jobs: Int, repairs: Bool, clock: Clock = .system, log: Log = .silent,
        progress: Progress = .none, interruption: Interruption,
        inspect: @escaping Inspection, selection: Selection? = nil
    ) {
        self.settings = settings
        self.jobs = max(1, jobs)
        self.repairs = repairs
        self.clock = clock
        self.log = log
        self.progress = progress
        self.interruption = interruption
        self.inspect = inspect
        self.selection = selection
    }

    /// Runs all steps and returns the number of problems, including repaired problems. Calls `report` for each problem
    /// and step, never concurrently. Throws the errors of `report`, `CacheFailure`, `Cancelled` and `SystemFailure`. If
    /// a file cannot be read, keeps its row, continues, and throws at the end.
    public func run(report: @escaping Report) throws -> Int {
        let root = try settings.cacheRoot
        // Throws if the folder is not a cache; it would otherwise be treated as an empty cache.
        _ = try root.folder()
        let state = try step(.index, report) { try examineIndex(of: root, report) }
        // A damaged index proves nothing about the files, and opening the index would replace it.
        guard state == .usable || repairs else { return found.withLock { $0.problems } }
        // Without an index there is nothing to verify, and only a repair may create an index.
        guard try root.indexIdentity() != nil || repairs else { return 0 }
        let cache = try CacheStore(
            settings: settings, clock: clock, log: log, interruption: interruption, inspect: inspect)
        if repairs { try cache.index.requireWriting() }
        if state == .damaged { try cache.index.setAside() }
        let mustRebuild = try cache.index.mayLackRows()
        if mustRebuild, repairs { try step(.rebuild, report) { try rebuild(cache) } }
        try step(.mark, report) { try mark(cache, report) }
        try step(.check, report) { try check(cache, report) }
        // A selection cannot be applied to files without rows.
        if selection == nil {
            try step(.sweep, report) { try sweep(cache, report, sparesOrphans: mustRebuild && !repairs) }
        }
        if repairs { try cache.index.flush(now: clock.now()) }
        if let failure = found.withLock({ $0.unreadable }) { throw failure }
        return found.withLock { $0.problems }
    }

    // MARK: Steps

    private enum IndexState { case usable, damaged, lost }

    private func examineIndex(of root: CacheRoot, _ report: Report) throws -> IndexState {
        func problem(_ code: VerificationProblem.Code, _ detail: String?) throws {
            try tell(VerificationProblem(code: code, path: root.index, detail: detail, isRepaired: repairs), report)
        }
        do {
            guard let complaints = try waitingWhileBusy(interruption, { try Database.complaints(about: root) }) else {
                if try root.names(in: CacheRoot.scopes).isEmpty { return .usable }
                try problem(.indexLost, nil)
                return .lost
            }
            if !complaints.isEmpty {
                try problem(.indexDamaged, complaints.joined(separator: "; "))
                return .damaged
            }
        } catch CacheFailure.indexDamaged(let detail, _) {
            try problem(.indexDamaged, detail)
            return .damaged
        }
        let isLost = try waitingWhileBusy(interruption) {
            let database = try Database.index(of: root).database
            return try root.hasRebuildMark || Schema.version(of: database) > 0 && database.setting(.lost) != nil
        }
        if isLost { try problem(.indexLost, nil) }
        return .usable
    }

    private func rebuild(_ cache: CacheStore) throws {
        try cache.recovery.rebuild { entry in
            found.withLock {
                $0.step.count += 1
                $0.step.bytes += entry.bytes
            }
        }
    }

    private func mark(_ cache: CacheStore, _ report: @escaping Report) throws {
        defer { found.withLock { $0.entries = $0.step.count } }
        try forEachEntry(cache) { [self] entry, scope in
            do {
                if let code = try Self.wrong(entry, cache) {
                    let wrong = try recheck(entry, scope, cache, drops: repairs) { try Self.wrong($0, cache) != nil }
                    if let wrong { try tell(Self.wrong(wrong, cache) ?? code, wrong, report) }
                }
            } catch let failure as SystemFailure {
                // `check` reports the error if it persists.
                note(failure)
            }
            return 0
        }
        if repairs { try cache.index.sweep(now: clock.now()) }
    }

    /// Compares the existence and size of a file with its row. Skips unsettled entries, which are checked at their next
    /// use.
    private static func wrong(_ entry: Entry, _ cache: CacheStore) throws -> VerificationProblem.Code? {
        if entry.needsVerification { return nil }
        guard let found = try cache.index.root.file(entry.place) else { return .fileMissing }
        return found.bytes == entry.bytes ? nil : .fileSize
    }

    private func check(_ cache: CacheStore, _ report: @escaping Report) throws {
        progress.expect(records: found.withLock { $0.entries })
        progress.beginWork()
        // Entries whose content matches but may be only in the page cache. They are made durable in batches.
        let right = Monitor<[Entry]>([])
        @Sendable func makeDurable(atLeast count: Int) throws {
            let batch = right.withLock { right in
                if right.count < count { return [Entry]() }
                defer { right = [] }
                return right
            }
            if !cache.index.isReadOnly { try cache.makeDurable(batch) }
        }
        try forEachEntry(cache, showing: progress) { [self] entry, scope in
            do {
                // `mark` has already reported a missing file or a wrong size.
                guard try Self.wrong(entry, cache) == nil, !entry.needsVerification,
                    let file = try cache.index.root.openIfPresent(entry.place)
                else { return 0 }
                let sha256 = try BlobStore.sha256(of: file, check: interruption.check)
                if sha256 != entry.sha256 {
                    let detail = "its SHA-256 is \(sha256), not \(entry.sha256)"
                    try refuse(entry, scope, cache, .contentDiffers, detail, report)
                } else if let fault = try selection?.fault(entry, file) {
                    try refuse(entry, scope, cache, .contentRefused, fault, report)
                } else if entry.boot != nil {
                    right.withLock { $0.append(entry) }
                    try makeDurable(atLeast: IndexConnection.batch)
                }
                return file.count
            } catch let failure as SystemFailure {
                note(failure)
                try tell(
                    VerificationProblem(
                        code: .fileUnreadable, scope: entry.scope.text, key: entry.key, path: entry.path,
                        detail: failure.message, isRepaired: false),
                    report)
            }
            return 0
        }
        try makeDurable(atLeast: 0)
        if repairs { try cache.index.sweep(now: clock.now()) }
    }

    /// Reports an entry whose content has a fault, unless the entry was removed or replaced in the meantime. A file that
    /// has a row is never overwritten, so its content need not be read again.
    private func refuse(
        _ entry: Entry, _ scope: ScopeRow, _ cache: CacheStore, _ code: VerificationProblem.Code, _ detail: String,
        _ report: Report
    ) throws {
        let still = try recheck(entry, scope, cache, drops: repairs) {
            $0.id == entry.id && $0.sha256 == entry.sha256
        }
        if let still { try tell(code, still, detail: detail, report) }
    }

    /// Reads a row again, in a write transaction if possible, and calls `isWrong`. Returns the row if the result is
    /// true; with `drops`, also removes the row.
    private func recheck(
        _ entry: Entry, _ scope: ScopeRow, _ cache: CacheStore, drops: Bool, isWrong: (Entry) throws -> Bool
    ) throws -> Entry? {
        let now = clock.now()
        func look(_ connection: IndexConnection) throws -> Entry? {
            let found = try connection.entries.find(entry.name, folder: scope.folder, scope: scope.name)
            guard let found, try isWrong(found) else { return nil }
            if drops {
                try connection.entries.removeDamaged(found)
                try connection.counters.add(.healed, 1, in: scope.id, now: now)
            }
            return found
        }
        return try cache.index.isReadOnly ? cache.index.perform(look) : cache.index.write(now: now, look)
    }

    private func sweep(_ cache: CacheStore, _ report: Report, sparesOrphans: Bool) throws {
        var left = try cache.maintenance.doomed(removing: repairs)
        if !sparesOrphans { left.add(try cache.maintenance.orphans(removing: repairs)) }
        left.add(try cache.maintenance.leftPartials(removing: repairs))
        found.withLock {
            $0.step.count += left.entries
            $0.step.bytes += left.bytes
        }
        if try !cache.index.perform({ try $0.totals.areRight() }) {
            if repairs { try cache.index.write(now: clock.now()) { try $0.totals.repair() } }
            try tell(
                VerificationProblem(code: .sumsDiffer, path: cache.index.root.index, isRepaired: repairs), report)
        }
    }

    // MARK: Reports

    private func note(_ failure: SystemFailure) { found.withLock { $0.unreadable = $0.unreadable ?? failure } }

    @discardableResult
    private func step<Result>(
        _ kind: VerificationStep.Kind, _ report: Report, _ body: () throws -> Result
    ) throws -> Result {
        try interruption.check()
        found.withLock { $0.step = VerificationStep(kind) }
        let begin = Timestamp.now()
        let result = try body()
        var step = found.withLock { $0.step }
        step.duration = Timestamp.now() - begin
        try report(.step(step))
        return result
    }

    private func tell(
        _ code: VerificationProblem.Code, _ entry: Entry, detail: String? = nil, _ report: Report
    ) throws {
        try tell(
            VerificationProblem(
                code: code, scope: entry.scope.text, key: entry.key, path: entry.path, detail: detail,
                isRepaired: repairs),
            report)
    }

    private func tell(_ problem: VerificationProblem, _ report: Report) throws {
        try found.withLock {
            $0.problems += 1
            $0.step.problems += 1
            try report(.problem(problem))
        }
    }
}
