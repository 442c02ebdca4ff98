import Fetch
import Store
import Support

/// Revalidates expired entries after they were served (`stale-while-revalidate`). A command has no background process,
/// so it revalidates these entries after the last record.
extension PutTool {
    struct Revalidation: Sendable {
        let cache: CacheStore
        let fetch: FetchRequest
    }

    /// The maximum length of the queue, which takes a few hundred bytes per entry. If the queue is full, entries are
    /// revalidated before they are served.
    private static let revalidationLimit = 4096

    var hasRoomForRevalidation: Bool { revalidations.withLock { $0.count < Self.revalidationLimit } }

    /// Revalidates the queued entries on up to `jobs` threads. If a server fails, its entries do not change.
    public func revalidate(jobs: Int) {
        let count = min(jobs, revalidations.withLock(\.count))
        let threads = (0..<count).compactMap { _ in try? Thread.start(revalidateWaiting) }
        if threads.isEmpty { revalidateWaiting() }
        for thread in threads { thread.join() }
    }

    @Sendable private func revalidateWaiting() {
        while let next = revalidations.withLock({ $0.popLast() }) {
            do {
                _ = try next.cache.fetch(next.fetch, client: client)
            } catch is Cancelled {
                return
            } catch {
                caches.log.detail(failure(of: error).message)
            }
        }
    }
}
