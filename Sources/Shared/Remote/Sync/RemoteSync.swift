import Store
import Support

/// Copies the entries of a scope to a remote (`push`), or from it (`pull`).
///
/// GET, HEAD and PUT cannot list the contents of a remote. For each scope, `push` therefore also stores a list with the
/// names of the entries that any root has pushed.
public struct RemoteSync: Sendable {
    private let remote: Remote
    private let cache: CacheStore
    private let jobs: Int
    private let interruption: Interruption

    /// The shared metadata: the items about days of the APOD archive, if they never expire, and the list of exercises.
    private static let collections: [CacheMetadata.SharedCollection] = [
        (name: "apod/science", mayNeverExpire: true), (name: "apod/api", mayNeverExpire: true),
        (name: "exercisedb", mayNeverExpire: false),
    ]

    /// - Parameter jobs: the number of threads.
    public init(_ remote: Remote, _ cache: CacheStore, jobs: Int, interruption: Interruption) {
        self.remote = remote
        self.cache = cache
        self.jobs = jobs
        self.interruption = interruption
    }

    /// Uploads the entries that the remote lacks, and adds them to the remote's list. Throws `RemoteFailure`,
    /// `CacheFailure`, `SystemFailure` and `Cancelled`.
    public func push() throws -> SyncReport {
        let listed = try remote.list(of: cache.scope)
        let names = Monitor(listed)
        let upload: @Sendable (RemoteUpload) throws -> SyncReport = { [remote] offer in
            let report = try remote.uploadNow(offer)
            if report.failed + report.gone == 0 { names.withLock { $0.insert(offer.document) } }
            return report
        }
        var filter = EntryFilter()
        filter.kinds = [.original, .variant]
        let entries = Monitor(try cache.entries(filter))
        var report = try onThreads {
            try entries.withLock { listing throws in try listing.next() }
        } work: { [cache] in
            try cache.remoteOffer(of: $0).map(upload) ?? SyncReport()
        }
        for (collection, onlyLasting) in Self.collections {
            let all = try cache.metadata.items(in: collection, from: "", through: "\u{10FFFF}")
            let rows = Monitor(all.filter { !onlyLasting || $0.expiresAt == nil }[...])
            report += try onThreads({ rows.withLock { $0.popFirst() } }) { [cache] in
                try upload(cache.metadata.remoteOffer(of: $0, in: collection))
            }
        }
        let all = names.withLock { $0 }
        if all != listed { try remote.write(all, for: cache.scope) }
        return report
    }

    /// Downloads the listed entries that this root lacks, originals first. Skips entries that would exceed the root's
    /// capacity. Throws as `push` does.
    public func pull() throws -> SyncReport {
        let room = Monitor(cache.settings.capacity - (try cache.statistics().bytes))
        var report = SyncReport()
        for group in try remote.list(of: cache.scope).groups {
            let names = Monitor(group[...])
            report += try onThreads({ names.withLock { $0.popFirst() } }) { [self] in try take($0, room) }
        }
        return report
    }

    private func take(_ name: RemoteName, _ room: Monitor<Int>) throws -> SyncReport {
        switch try remote.document(of: name, atMost: RemoteDocument.byteLimit) {
        case .found(let document):
            var isNeeded = false
            do {
                let isNew = try cache.take(document, collections: Self.collections) {
                    isNeeded = true
                    try room.withLock { room throws(NoRoom) in
                        guard document.count <= room else { throw NoRoom() }
                        room -= document.count
                    }
                }
                if isNew { return SyncReport(moved: 1, bytes: document.count) }
                return isNeeded ? SyncReport(failed: 1) : SyncReport(there: 1)
            } catch is NoRoom {
                return SyncReport(leftOut: 1)
            }
        case .absent: return SyncReport(gone: 1)
        case .damaged, .failed: return SyncReport(failed: 1)
        case .notAsked: throw remote.hasFailed
        }
    }

    private struct NoRoom: Error {}

    /// Runs `work` for all items on `jobs` threads and adds up the reports. Stops at the first error and throws it.
    private func onThreads<Item>(
        _ next: @escaping @Sendable () throws -> Item?, work: @escaping @Sendable (Item) throws -> SyncReport
    ) throws -> SyncReport {
        let state = Monitor((report: SyncReport(), error: (any Error)?.none))
        let loop: @Sendable () -> Void = { [interruption] in
            do {
                while state.withLock({ $0.error == nil }), let item = try next() {
                    try interruption.check()
                    let report = try work(item)
                    state.withLock { $0.report += report }
                }
            } catch {
                state.withLock { $0.error = $0.error ?? error }
            }
        }
        // The calling thread is one of the `jobs` threads.
        let threads = (1..<max(jobs, 1)).compactMap { _ in try? Thread.start(loop) }
        loop()
        for thread in threads { thread.join() }
        let end = state.withLock { $0 }
        if let error = end.error { throw error }
        return end.report
    }
}

/// The numbers of entries that `RemoteSync` handled.
public struct SyncReport: Sendable, Equatable {
    /// Uploaded or downloaded entries.
    public var moved = 0
    public var bytes = 0
    /// Entries that the destination already had.
    public var there = 0
    /// Entries that are listed but no longer exist.
    public var gone = 0
    public var failed = 0
    /// Entries skipped because the root has no room for them.
    public var leftOut = 0

    public init(moved: Int = 0, bytes: Int = 0, there: Int = 0, gone: Int = 0, failed: Int = 0, leftOut: Int = 0) {
        (self.moved, self.bytes, self.there) = (moved, bytes, there)
        (self.gone, self.failed, self.leftOut) = (gone, failed, leftOut)
    }

    public static func += (sum: inout SyncReport, other: SyncReport) {
        sum.moved += other.moved
        sum.bytes += other.bytes
        sum.there += other.there
        sum.gone += other.gone
        sum.failed += other.failed
        sum.leftOut += other.leftOut
    }
}
