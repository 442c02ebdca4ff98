import Store
import Support

/// Brings one scope of a root and the remote to the same state, as far as each is allowed to take from the other.
///
/// What is in the remote cannot be listed by GET, HEAD and PUT, so that a list of names is kept there for each scope:
/// what was handed over by `push`, from whichever root.
public struct RemoteSync: Sendable {
    private let remote: Remote
    private let cache: CacheStore
    private let jobs: Int
    private let interruption: Interruption

    /// The metadata that is shared, all of it or only what never expires: days of the archive, and the list of exercises.
    private static let collections: [CacheStore.SharedCollection] = [
        (name: "apod/science", isLasting: true), (name: "apod/api", isLasting: true),
        (name: "exercisedb", isLasting: false),
    ]

    /// - Parameters:
    ///   - cache: of a scope that is shared.
    ///   - jobs: how many things go at once.
    public init(_ remote: Remote, _ cache: CacheStore, jobs: Int, interruption: Interruption) {
        self.remote = remote
        self.cache = cache
        self.jobs = jobs
        self.interruption = interruption
    }

    /// Hands over what the remote lacks, and lists all of it there. Throws `RemoteFailure` if the remote does not do
    /// what it should, `CacheFailure`, `SystemFailure`, `Cancelled`.
    ///
    public func push() throws -> SyncReport {
        let listed = try remote.list(of: cache.scope)
        let names = Monitor(listed)
        let handOver: @Sendable (RemoteOffer) throws -> SyncReport = { [remote] offer in
            let report = try remote.handOverNow(offer)
            if report.failed + report.gone == 0 { names.withLock { $0.insert(offer.document) } }
            return report
        }
        var filter = EntryFilter()
        filter.kinds = [.original, .variant]
        let entries = Monitor(try cache.entries(filter))
        var report = try onThreads {
            try entries.withLock { listing throws in try listing.next() }
        } work: { [cache] in
            try cache.remoteOffer(of: $0).map(handOver) ?? SyncReport()
        }
        for (collection, onlyLasting) in Self.collections {
            let all = try cache.metadata(in: collection, from: "", through: "\u{10FFFF}")
            let rows = Monitor(all.filter { !onlyLasting || $0.expiresAt == nil }[...])
            report += try onThreads {
                rows.withLock { $0.popFirst() }
            } work: { [cache] in
                try handOver(cache.remoteOffer(of: $0, in: collection))
            }
        }
        let all = names.withLock { $0 }
        if all != listed { try remote.write(all, for: cache.scope) }
        return report
    }

    /// Takes in what the remote lists and this root lacks, originals first, until the capacity is reached. Throws as
    /// `push` does.
    public func pull() throws -> SyncReport {
        let room = Monitor(cache.settings.capacity - (try cache.statistics().bytes))
        var report = SyncReport()
        for group in try remote.list(of: cache.scope).groups {
            let names = Monitor(group[...])
            report += try onThreads {
                names.withLock { $0.popFirst() }
            } work: { [self] in
                try take($0, room)
            }
        }
        return report
    }

    /// Takes in one thing, if there is room for it.
    private func take(_ name: RemoteName, _ room: Monitor<Int>) throws -> SyncReport {
        switch try remote.document(of: name, atMost: RemoteDocument.byteLimit) {
        case .found(let document):
            do {
                let isNew = try cache.take(document, collections: Self.collections) {
                    try room.withLock { room throws(NoRoom) in
                        guard document.count <= room else { throw NoRoom() }
                        room -= document.count
                    }
                }
                return isNew ? SyncReport(moved: 1, bytes: document.count) : SyncReport(there: 1)
            } catch is NoRoom {
                return SyncReport(leftOut: 1)
            }
        case .absent: return SyncReport(gone: 1)
        case .damaged, .failed: return SyncReport(failed: 1)
        case .notAsked: throw remote.hasFailed
        }
    }

    /// The capacity is reached.
    private struct NoRoom: Error {}

    /// Does the work for all items, on `jobs` threads, and adds up what comes of it. After the first error no further
    /// item is begun, and it is thrown.
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
        // This thread is one of them.
        let threads = (1..<max(jobs, 1)).compactMap { _ in try? Thread.start(loop) }
        loop()
        for thread in threads { thread.join() }
        let end = state.withLock { $0 }
        if let error = end.error { throw error }
        return end.report
    }
}

/// What has come of bringing a root and a remote to the same state.
public struct SyncReport: Sendable, Equatable {
    /// Things that were handed over or taken in.
    public var moved = 0
    public var bytes = 0
    /// Things that were there already.
    public var there = 0
    /// Things that are listed and not there any more.
    public var gone = 0
    /// Things that could not be moved.
    public var failed = 0
    /// Things for which there was no room.
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
