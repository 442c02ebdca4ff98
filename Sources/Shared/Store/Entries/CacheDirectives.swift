import Support

/// The directives for an entry in the server's `Cache-Control`, except the expiry. Only runs that respect
/// `Cache-Control` store and follow them.
public struct CacheDirectives: Sendable, Equatable {
    /// An expired entry must be revalidated before use (RFC 9111 §5.2.2.2).
    public var mustRevalidate: Bool
    /// The bytes do not change before the expiry, so a refresh need not ask the server (RFC 8246).
    public var isImmutable: Bool
    /// The end of the time in which an expired entry may be used during revalidation (RFC 5861 §3), if any.
    public var usableUntil: Timestamp?
    /// The end of the time in which an expired entry may be used if its server fails (RFC 5861 §4); nil if it never
    /// ends.
    public var standsInUntil: Timestamp?

    public init(
        mustRevalidate: Bool = false, isImmutable: Bool = false, usableUntil: Timestamp? = nil,
        standsInUntil: Timestamp? = nil
    ) {
        self.mustRevalidate = mustRevalidate
        self.isImmutable = isImmutable
        self.usableUntil = usableUntil
        self.standsInUntil = standsInUntil
    }

    /// Whether an expired entry may be used at this time if its server fails.
    public func letStandIn(at now: Timestamp) -> Bool { !mustRevalidate && standsInUntil.map { now < $0 } ?? true }
}
