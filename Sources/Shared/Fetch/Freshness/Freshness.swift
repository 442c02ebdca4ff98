import HTTP
import Store
import Support

/// The decision about a key, given its entry.
enum Freshness: Equatable {
    /// Serve the entry as it is.
    case serve(CacheStatus)
    /// Ask the server whether the entry is still valid.
    case revalidate(Validators)
    /// Request the whole body.
    case fetch
    /// There is no usable entry, and the run is offline.
    case unavailable

    /// The user's settings and the request's properties.
    struct Rules: Equatable {
        var isOffline = false
        var refreshes = false
        /// Whether to serve expired entries if the server does not answer.
        var servesStale = true
        /// Whether to respect the server's `Cache-Control`.
        var respectsServer = false
        /// Whether another thread or process held the key's lock, and may have asked the server.
        var hasWaited = false
        /// The start of this run's request. An entry fetched since then is as new as the answer would be.
        var askedAt: Timestamp
        /// The user's fields in the request, see `HTTPRequest.ownFields`.
        var fields: [String: String] = [:]
        /// The maximum age of an entry in the request; nil for any age.
        var oldestAge: Duration?
        /// Whether the caller revalidates an entry after its use, if the server allows that (RFC 5861 §3).
        var revalidatesLater = false

        /// Whether the server would choose this entry for the request (RFC 9111 §4.1); nil if only the server knows.
        func selects(_ entry: Entry) -> Bool? {
            guard let vary = entry.vary else { return true }
            return Vary(text: vary).matches(fields)
        }
    }

    /// Decides as a pure function. Validation follows RFC 9111 §4.3, with our own expiry in place of the server's,
    /// unless the server's is respected.
    static func decide(_ entry: Entry?, now: Timestamp, rules: Rules) -> Freshness {
        guard let entry else { return rules.isOffline ? .unavailable : .fetch }
        let selects = rules.selects(entry)
        if selects == false {
            // The server may choose the same answer for this request, identified by its ETag.
            let etag = entry.validators.etag.flatMap { $0.hasPrefix("W/") ? nil : $0 }
            return rules.isOffline ? .unavailable : etag.map { .revalidate(Validators(etag: $0)) } ?? .fetch
        }
        let isTooOld = rules.oldestAge.map { now - entry.fetchedAt >= $0 } ?? false
        let isExpired = entry.isExpired(at: now) || selects == nil
        if rules.isOffline {
            if !isExpired { return .serve(.hit) }
            return mayServeStale(entry, now: now, rules: rules) ? .serve(.stale) : .unavailable
        }
        let isRecent = entry.fetchedAt >= rules.askedAt
        let refreshes = rules.refreshes && !(rules.respectsServer && entry.directives.isImmutable)
        if !isExpired && (!(refreshes || isTooOld) || isRecent) { return .serve(.hit) }
        // An entry with `no-cache` expires immediately, but a run that waited for another's request uses its answer.
        if isRecent && rules.hasWaited { return .serve(.hit) }
        if rules.revalidatesLater && !rules.refreshes && !isTooOld && mayUseMeanwhile(entry, now: now, rules: rules) {
            return .serve(.stale)
        }
        // Without an address, no server knows the entry's validators.
        return entry.validators.isEmpty ? .fetch : .revalidate(entry.validators)
    }

    /// The reason for a request about an entry, as a clause.
    static func reason(_ entry: Entry, now: Timestamp, rules: Rules) -> String {
        switch rules.selects(entry) {
        case false: "it was fetched with other request headers (Vary)"
        case nil: "its answers depend on more than the request (Vary: *)"
        default: entry.isExpired(at: now) ? entry.expiryWords(at: now) : "a refresh was requested"
        }
    }

    /// Whether an expired entry may be served if its server does not answer (RFC 9111 §4.2.4, RFC 5861 §4).
    static func mayServeStale(_ entry: Entry, now: Timestamp, rules: Rules) -> Bool {
        guard rules.servesStale, rules.selects(entry) != false else { return false }
        return !rules.respectsServer || entry.directives.letStandIn(at: now)
    }

    /// Whether the server lets an expired entry be used until it is revalidated (RFC 5861 §3).
    private static func mayUseMeanwhile(_ entry: Entry, now: Timestamp, rules: Rules) -> Bool {
        guard rules.servesStale, rules.respectsServer, rules.selects(entry) == true,
            entry.fetchedAt <= now + Clock.tolerance, let end = entry.directives.usableUntil
        else { return false }
        return now < end
    }
}

extension Entry {
    /// Why an expired entry counts as expired, as a clause.
    func expiryWords(at now: Timestamp) -> String {
        isDatedAhead(of: now)
            ? "it was fetched at \(fetchedAt.iso8601), before the clock was set back"
            : "it expired at \(expiresAt.iso8601)"
    }
}
