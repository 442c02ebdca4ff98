import HTTP
import Store
import Support

/// The expiry of an answer: our own, which the server's header fields can only shorten.
struct Retention: Equatable {
    var expiresAt: Timestamp
    var directives = CacheDirectives()

    /// Computes the expiry from `expiry`, limited by the server's header fields if they are respected (RFC 9111 §4.2,
    /// §5.2.2). An entry expires immediately if its new answer has `no-store`.
    init(of headers: HTTPHeaders, now: Timestamp, expiry: Expiry, respectsServer: Bool) {
        let end = expiry.end(from: now)
        expiresAt = end
        guard respectsServer else { return }
        let control = CacheControl(headers)
        directives.mustRevalidate = control.mustRevalidate || control.noCache || control.noStore
        if control.noCache || control.noStore {
            expiresAt = now
            return
        }
        let serverEnd = headers.freshness(now: now).map { now + $0 } ?? end
        expiresAt = min(end, max(serverEnd, now))
        directives.isImmutable = control.isImmutable
        // `must-revalidate` overrides `stale-while-revalidate` and `stale-if-error` (RFC 9111 §5.2.2.2).
        if directives.mustRevalidate { return }
        directives.staleWhileRevalidateUntil = control.staleWhileRevalidate.map { min(end, serverEnd + .seconds($0)) }
        directives.staleIfErrorUntil = control.staleIfError.map { serverEnd + .seconds($0) }
    }

    /// Whether the server permits shared caches to store its answer (RFC 9111 §5.2.2.5, §5.2.2.7).
    static func allowsSharing(_ headers: HTTPHeaders) -> Bool {
        let control = CacheControl(headers)
        return !control.noStore && !control.isPrivate
    }

    /// The statuses that this cache understands. With `must-understand`, answers with other statuses must not be stored
    /// (RFC 9111 §5.2.2.3).
    private static let understood: Set<Int> = [200, 203, 204, 206, 304, 401, 403, 404, 405, 410, 414]

    /// Whether the server permits caches to store its answer (RFC 9111 §3).
    static func allowsStoring(_ headers: HTTPHeaders, _ status: Int) -> Bool {
        let control = CacheControl(headers)
        return !control.noStore && (!control.mustUnderstand || understood.contains(status))
    }
}
