import Fetch
import Store

/// What has come of the things that a run puts into the cache.
public struct PutCounts: Sendable, Equatable {
    /// Fresh already, or not needed since the files made of them are there.
    public var hits = 0
    public var fetched = 0
    /// Requested again after they had expired.
    public var revalidated = 0
    /// Expired, and the server could not be reached.
    public var stale = 0
    /// Not had, but something stands in.
    public var placeholders = 0
    /// Not had.
    public var failed = 0

    public init() {}

    public mutating func add(_ status: CacheStatus) {
        switch status {
        case .hit, .kept: hits += 1
        case .miss, .bypass: fetched += 1
        case .revalidated: revalidated += 1
        case .stale: stale += 1
        }
    }

    /// The counts for a person. A placeholder counts as a failure.
    public var text: String {
        let all = failed + placeholders
        let standIns =
            placeholders == 0 ? "" : placeholders == all ? " (placeholders)" : " (\(placeholders) placeholders)"
        return "\(hits) hit, \(fetched) fetched, \(revalidated) revalidated"
            + (stale > 0 ? ", \(stale) stale" : "") + ", \(all) failed\(standIns)"
    }
}
