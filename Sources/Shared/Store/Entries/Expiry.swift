import Support

/// The expiry of an entry.
public enum Expiry: Sendable, Hashable, CustomStringConvertible {
    /// A time after it was fetched or revalidated.
    case after(Duration)
    case at(Timestamp)

    /// Parses a duration such as `6h`, a day such as `2026-12-31`, which stands for its beginning, or a time such as
    /// `2026-12-31T18:00:00Z`, in UTC unless it has an offset.
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

    /// The end for an entry fetched at this time.
    public func end(from fetchedAt: Timestamp) -> Timestamp {
        switch self {
        case .after(let span): fetchedAt + span
        case .at(let end): end
        }
    }
}

extension Entry {
    /// The entry with a requested expiry.
    ///
    /// - Parameter respectsServer: whether it may only shorten the server's expiry.
    package func expiring(_ expiry: Expiry?, respectsServer: Bool) -> Entry {
        guard let end = expiry?.end(from: fetchedAt) else { return self }
        var entry = self
        entry.expiresAt = respectsServer ? min(expiresAt, end) : end
        entry.directives.usableUntil = directives.usableUntil.map { min($0, end) }
        return entry
    }
}
