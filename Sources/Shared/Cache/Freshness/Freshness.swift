import Support

/// What to do about a key, given what the cache has.
enum Freshness: Equatable {
    /// Hand out the entry as it is.
    case serve(CacheStatus)
    /// Ask the server whether the entry is still the same.
    case revalidate(Validators)
    /// Ask the server for everything.
    case fetch
    /// There is nothing, and nobody may be asked.
    case unavailable

    /// What the user has asked for.
    struct Wishes: Equatable {
        var isOffline = false
        var refreshes = false
        /// When this run began to ask: what another has fetched since then is as new as what it would get itself.
        var askedAt: Timestamp
    }

    /// Decides without looking at anything but its arguments. Validation follows RFC 9111 §4.3, with our own expiry
    /// in place of the server's.
    static func decide(_ entry: Entry?, now: Timestamp, wishes: Wishes) -> Freshness {
        guard let entry else { return wishes.isOffline ? .unavailable : .fetch }
        let isExpired = entry.isExpired(at: now)
        if wishes.isOffline { return .serve(isExpired ? .stale : .hit) }
        let isRecent = entry.fetchedAt >= wishes.askedAt
        if !isExpired && (!wishes.refreshes || isRecent) { return .serve(.hit) }
        // Without an address there is no server that could know the entry's validators.
        return entry.validators.isEmpty ? .fetch : .revalidate(entry.validators)
    }
}
