import Support

/// The directives for an entry in the server's `Cache-Control`, except the expiry. Only runs that respect
/// `Cache-Control` store and follow them.
public struct CacheDirectives: Sendable, Equatable {
    /// An expired entry must be revalidated before use (RFC 9111 §5.2.2.2).
    public var mustRevalidate: Bool
    /// The bytes do not change before the expiry, so a refresh need not ask the server (RFC 8246).
    public var isImmutable: Bool
    /// The end of the time in which an expired entry may be used during revalidation (RFC 5861 §3), if any.
    public var staleWhileRevalidateUntil: Timestamp?
    /// The end of the time in which an expired entry may be used if its server fails (RFC 5861 §4); nil if it never
    /// ends.
    public var staleIfErrorUntil: Timestamp?

    public init(
        mustRevalidate: Bool = false, isImmutable: Bool = false, staleWhileRevalidateUntil: Timestamp? = nil,
        staleIfErrorUntil: Timestamp? = nil
    ) {
        self.mustRevalidate = mustRevalidate
        self.isImmutable = isImmutable
        self.staleWhileRevalidateUntil = staleWhileRevalidateUntil
        self.staleIfErrorUntil = staleIfErrorUntil
    }

    /// Whether an expired entry may be used at this time if its server fails.
    public func allowsStaleIfError(at now: Timestamp) -> Bool {
        !mustRevalidate && staleIfErrorUntil.map { now < $0 } ?? true
    }
}
