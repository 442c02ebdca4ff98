import Fetch
import HTTP
import Store
import Support

/// Entries that were served before their servers were asked (`stale-while-revalidate`). A run has no background, so it
/// asks once all records have left.
extension PutTool {
    struct Revalidation: Sendable {
        let cache: CacheStore
        let request: HTTPRequest
        let key: CacheKey
        let expiry: Expiry?
    }

    /// The most that wait, some hundred bytes each. Further entries are revalidated before they are served.
    private static let revalidationLimit = 4096

    /// Whether another entry may wait for its revalidation.
    var hasRoomForRevalidation: Bool { revalidations.withLock { $0.count < Self.revalidationLimit } }

    /// Revalidates the entries that were served without, by up to `jobs` threads. A server that fails then changes
    /// nothing: the entries stay.
    public func revalidate(jobs: Int) {
        let count = min(jobs, revalidations.withLock(\.count))
        let threads = (0..<count).compactMap { _ in try? Thread.start(revalidateWaiting) }
        if threads.isEmpty { revalidateWaiting() }
        for thread in threads { thread.join() }
    }

    @Sendable private func revalidateWaiting() {
        while let next = revalidations.withLock({ $0.popLast() }) {
            do {
                _ = try next.cache.fetch(
                    next.request, key: next.key, client: client, inspect: inspect, expiry: next.expiry)
            } catch is Cancelled {
                return
            } catch {
                caches.log.detail(failure(of: error).message)
            }
        }
    }
}
