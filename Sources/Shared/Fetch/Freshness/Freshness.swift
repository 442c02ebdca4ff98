import HTTP
import Store
import Support

/// What to do about a key, given what the cache has.
enum Freshness: Equatable {
    /// Hand out the entry as it is.
    case serve(CacheStatus)
    /// Ask the server whether the entry is still the same.
    case revalidate(Validators)
    /// Ask the server for everything.
    case fetch
    /// There is nothing that may be used, and nobody may be asked.
    case unavailable

    /// What the user has asked for.
    struct Rules: Equatable {
        var isOffline = false
        var refreshes = false
        /// Whether what has expired will do where the server does not answer.
        var servesStale = true
        /// Whether a server's word on keeping its answers counts.
        var respectsServer = false
        /// Whether somebody else held the key's lock meanwhile, and may have asked.
        var hasWaited = false
        /// When this run began to ask: what another has fetched since then is as new as what it would get itself.
        var askedAt: Timestamp
        /// The request's own fields, see `HTTPRequest.ownFields`.
        var fields: [String: String] = [:]
        /// How old an entry may be, as the request says; nil for any age.
        var oldestAge: Duration?
        /// Whether the caller revalidates an entry after its use, if the server allows that (RFC 5861 §3).
        var revalidatesLater = false

        /// Whether the server would choose this entry for the request (RFC 9111 §4.1); nil if only the server knows.
        func selects(_ entry: Entry) -> Bool? {
            guard let vary = entry.vary else { return true }
            return Vary(text: vary).matches(fields)
        }
    }

    /// Decides without looking at anything but its arguments. Validation follows RFC 9111 §4.3, with our own expiry
    /// in place of the server's, unless that is to be respected.
    static func decide(_ entry: Entry?, now: Timestamp, rules: Rules) -> Freshness {
        guard let entry else { return rules.isOffline ? .unavailable : .fetch }
        let selects = rules.selects(entry)
        if selects == false {
            // The server may choose the same answer for this request, and names it by its ETag.
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
        // What must be asked for at each use has expired at once: but not for a run that waited while another asked.
        if isRecent && rules.hasWaited { return .serve(.hit) }
        if rules.revalidatesLater && !rules.refreshes && !isTooOld && mayUseMeanwhile(entry, now: now, rules: rules) {
            return .serve(.stale)
        }
        // Without an address there is no server that could know the entry's validators.
        return entry.validators.isEmpty ? .fetch : .revalidate(entry.validators)
    }

    /// The reason for a request about an entry, as a clause.
    static func reason(_ entry: Entry, now: Timestamp, rules: Rules) -> String {
        switch rules.selects(entry) {
        case false: "its server gave it for other request fields"
        case nil: "its server chooses its answers by more than the request (Vary: *)"
        default: entry.isExpired(at: now) ? entry.expiryWords(at: now) : "a refresh is wanted"
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
