import Store

/// The number of pictures with each result, in a run that puts pictures into the cache.
public struct PutCounts: Sendable, Equatable {
    /// Pictures that were fresh, or not needed because the files made from them exist.
    public var hits = 0
    public var fetched = 0
    /// Pictures that their server reported as unchanged.
    public var revalidated = 0
    /// Expired pictures whose server could not be reached.
    public var stale = 0
    /// Failed pictures with a placeholder.
    public var placeholders = 0
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

    /// The counts for a terminal. Pictures with a placeholder are included in the failures.
    public var text: String {
        let all = failed + placeholders
        let standIns =
            placeholders == 0 ? "" : placeholders == all ? " (placeholders)" : " (\(placeholders) placeholders)"
        return "\(hits) hit, \(fetched) fetched, \(revalidated) revalidated"
            + (stale > 0 ? ", \(stale) stale" : "") + ", \(all) failed\(standIns)"
    }
}
