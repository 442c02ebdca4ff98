import Support

/// The directives of a server's `Cache-Control` for an entry, beyond its expiry. Only a run that respects servers stores
/// and follows them.
public struct CacheDirectives: Sendable, Equatable {
    /// An expired entry is never used without asking (RFC 9111 §5.2.2.2).
    public var mustRevalidate: Bool
    /// The bytes do not change before the entry expires, so that a refresh need not ask (RFC 8246).
    public var isImmutable: Bool
    /// Until when an expired entry may be used while it is revalidated (RFC 5861 §3); nil for not at all.
    public var usableUntil: Timestamp?
    /// Until when an expired entry may be used if its server fails (RFC 5861 §4); nil for any time.
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

    /// Returns whether an expired entry may be used at this time if its server fails.
    public func letStandIn(at now: Timestamp) -> Bool { !mustRevalidate && standsInUntil.map { now < $0 } ?? true }
}
