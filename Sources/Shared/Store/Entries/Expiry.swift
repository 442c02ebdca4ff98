import Support

/// A requested expiry of an entry.
public enum Expiry: Sendable, Hashable, CustomStringConvertible {
    /// The time since the entry was fetched or revalidated.
    case after(Duration)
    case at(Timestamp)

    /// Parses a duration such as `6h`, a day such as `2026-12-31` (its first moment), or a time such as
    /// `2026-12-31T18:00:00Z`. Days and times without an offset are in UTC.
    public init?(_ text: String) {
        if let moment = Timestamp(iso8601: text) {
            self = .at(moment)
        } else if let span = TimeSpan.parse(text) {
            self = .after(span)
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .after(let span): TimeSpan.text(span)
        case .at(let end): end.iso8601
        }
    }

    /// The expiry time of an entry fetched at `fetchedAt`.
    public func end(from fetchedAt: Timestamp) -> Timestamp {
        switch self {
        case .after(let span): fetchedAt + span
        case .at(let end): end
        }
    }
}

extension Entry {
    /// Returns the entry with a requested expiry.
    ///
    /// - Parameter respectsServer: whether the requested expiry may shorten the server's expiry, but not extend it.
    package func expiring(_ expiry: Expiry?, respectsServer: Bool) -> Entry {
        guard let end = expiry?.end(from: fetchedAt) else { return self }
        var entry = self
        entry.expiresAt = respectsServer ? min(expiresAt, end) : end
        entry.directives.staleWhileRevalidateUntil = directives.staleWhileRevalidateUntil.map { min($0, end) }
        return entry
    }
}
