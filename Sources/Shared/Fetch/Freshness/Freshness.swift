import HTTP
import Store
import Support

/// How to answer a request for a key, decided from its entry.
enum Freshness: Equatable {
    case serve(CacheStatus)
    /// Ask the server whether the entry is still valid.
    case revalidate(Validators)
    case fetch
    /// There is no usable entry, and the run is offline.
    case unavailable

    /// The settings of the run and the properties of the request.
    struct Rules: Equatable {
        var isOffline = false
        var refreshes = false
        /// Whether to serve expired entries if the server fails.
        var servesStale = true
        var respectsServer = false
        /// Whether another thread or process held the key's lock and may have fetched the entry.
        var hasWaited = false
        /// The time at which this fetch began. An entry fetched since then is as new as an answer would be.
        var askedAt: Timestamp
        /// The header fields that the user added to the request, see `HTTPRequest.userFields`.
        var fields: [String: String] = [:]
        /// The maximum age of an entry that the request accepts; nil for any age.
        var acceptedMaxAge: Duration?
        /// Whether the caller can revalidate an entry after its use, if the server permits stale use (RFC 5861 §3).
        var revalidatesLater = false

        /// Whether the entry matches the request according to `Vary` (RFC 9111 §4.1); nil if only the server knows
        /// (`Vary: *`).
        func selects(_ entry: Entry) -> Bool? {
            guard let vary = entry.vary else { return true }
            return Vary(text: vary).matches(fields)
        }
    }

    /// Decides without any access to the cache or the network. Follows RFC 9111 §4.3, but with our own expiry, unless
    /// the server's `Cache-Control` is respected.
    static func decide(_ entry: Entry?, now: Timestamp, rules: Rules) -> Freshness {
        guard let entry else { return rules.isOffline ? .unavailable : .fetch }
        let selects = rules.selects(entry)
        if selects == false {
            // The entry answers other header fields. If the server's answer to these fields is the same version, a
            // strong ETag still matches it.
            let etag = entry.validators.etag.flatMap { $0.hasPrefix("W/") ? nil : $0 }
            return rules.isOffline ? .unavailable : etag.map { .revalidate(Validators(etag: $0)) } ?? .fetch
        }
        let isTooOld = rules.acceptedMaxAge.map { now - entry.fetchedAt >= $0 } ?? false
        let isExpired = entry.isExpired(at: now) || selects == nil
        if rules.isOffline {
            if !isExpired { return .serve(.hit) }
            return mayServeStale(entry, now: now, rules: rules) ? .serve(.stale) : .unavailable
        }
        let isRecent = entry.fetchedAt >= rules.askedAt
        let refreshes = rules.refreshes && !(rules.respectsServer && entry.directives.isImmutable)
        if !isExpired && (!(refreshes || isTooOld) || isRecent) { return .serve(.hit) }
        // An answer with `no-cache` expires immediately, but each run that waited for the answer uses it once. An
        // answer with `Vary: *` may have depended on properties that the waiting run does not share.
        if isRecent && rules.hasWaited && selects == true { return .serve(.hit) }
        if rules.revalidatesLater && !rules.refreshes && !isTooOld
            && allowsStaleWhileRevalidate(entry, now: now, rules: rules)
        {
            return .serve(.stale)
        }
        // The caller drops the validators if the entry came from another address.
        return entry.validators.isEmpty ? .fetch : .revalidate(entry.validators)
    }

    /// The reason why an entry is not served without a request, as a clause.
    static func reason(_ entry: Entry, now: Timestamp, rules: Rules) -> String {
        switch rules.selects(entry) {
        case false: "it was fetched with other request headers (Vary)"
        case nil: "its response depends on more than the request (Vary: *)"
        default: entry.isExpired(at: now) ? entry.expiryWords(at: now) : "a refresh was requested"
        }
    }

    /// Whether an expired entry may be served if its server fails (RFC 9111 §4.2.4, RFC 5861 §4).
    static func mayServeStale(_ entry: Entry, now: Timestamp, rules: Rules) -> Bool {
        guard rules.servesStale, rules.selects(entry) != false else { return false }
        return !rules.respectsServer || entry.directives.allowsStaleIfError(at: now)
    }

    /// Whether the server permits use of an expired entry during its revalidation (RFC 5861 §3).
    private static func allowsStaleWhileRevalidate(_ entry: Entry, now: Timestamp, rules: Rules) -> Bool {
        guard rules.servesStale, rules.respectsServer, rules.selects(entry) == true,
            entry.fetchedAt <= now + Clock.tolerance, let end = entry.directives.staleWhileRevalidateUntil
        else { return false }
        return now < end
    }
}

extension Entry {
    /// The reason why an expired entry has expired, as a clause.
    func expiryWords(at now: Timestamp) -> String {
        isDatedAhead(of: now)
            ? "it was fetched at \(fetchedAt.iso8601), before the clock was set back"
            : "it expired at \(expiresAt.iso8601)"
    }
}
