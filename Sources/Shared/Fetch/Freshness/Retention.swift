import HTTP
import Store
import Support

/// How long what a server gave may be used: by our own rule, which its own may only shorten.
struct Retention: Equatable {
    var expiresAt: Timestamp
    /// Whether it must not be used once it has expired, not even where the server cannot be reached.
    var mustRevalidate = false

    /// Our own rule, `expiry`; no longer than the server's fields say, where they are to be respected (RFC 9111 §4.2,
    /// §5.2.2). What must not be kept, but is there already, has expired at once.
    init(of headers: HTTPHeaders, now: Timestamp, expiry: Expiry, respectsServer: Bool) {
        expiresAt = expiry.end(from: now)
        guard respectsServer else { return }
        let control = CacheControl(headers)
        mustRevalidate = control.mustRevalidate || control.noCache || control.noStore
        if control.noCache || control.noStore {
            expiresAt = now
        } else if let freshness = headers.freshness(now: now) {
            expiresAt = min(expiresAt, now + freshness)
        }
    }

    /// Whether the server lets a cache of many users keep its answer (RFC 9111 §5.2.2.5, §5.2.2.7).
    static func allowsSharing(_ headers: HTTPHeaders) -> Bool {
        let control = CacheControl(headers)
        return !control.noStore && !control.isPrivate
    }

    /// The statuses whose meaning a cache needs to know for `must-understand` (RFC 9111 §5.2.2.3).
    private static let understood: Set<Int> = [200, 203, 204, 206, 304, 401, 403, 404, 405, 410, 414]

    /// Whether the server lets a cache keep its answer (RFC 9111 §3).
    static func allowsKeeping(_ headers: HTTPHeaders, _ status: Int) -> Bool {
        let control = CacheControl(headers)
        return !control.noStore && (!control.mustUnderstand || understood.contains(status))
    }
}
