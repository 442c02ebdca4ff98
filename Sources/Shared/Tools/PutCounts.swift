import Fetch
import Store

/// What has come of the things that a run puts into the cache.
public struct PutCounts: Sendable, Equatable {
    /// Fresh already.
    public var hits = 0
    /// Fetched or revalidated.
    public var fetched = 0
    /// Expired, and the server could not be reached.
    public var stale = 0
    /// Not had, but something stands in.
    public var placeholders = 0
    /// Not had.
    public var failed = 0

    public init() {}

    public mutating func add(_ status: CacheStatus) {
        switch status {
        case .hit: hits += 1
        case .miss, .revalidated, .bypass: fetched += 1
        case .stale: stale += 1
        }
    }
}
