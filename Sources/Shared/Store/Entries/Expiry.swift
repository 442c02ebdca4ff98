import Support

/// When an entry expires.
public enum Expiry: Sendable, Hashable, CustomStringConvertible {
    /// This long after it was fetched, or found to be unchanged.
    case after(Duration)
    case at(Timestamp)

    /// Reads a time such as `6h`, a day such as `2026-12-31`, which means its beginning, or a moment such as
    /// `2026-12-31T18:00:00Z`; all of UTC, unless the moment says how far it is from that. Nil for anything else.
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

    /// The end of what was fetched at this time.
    public func end(from fetchedAt: Timestamp) -> Timestamp {
        switch self {
        case .after(let span): fetchedAt + span
        case .at(let end): end
        }
    }
}

extension Entry {
    /// The entry as it is where somebody says when it expires; of what a server does not want used for long, that only
    /// makes the time shorter.
    ///
    /// - Parameter respectsServer: whether the server's word counts.
    package func expiring(_ expiry: Expiry?, respectsServer: Bool) -> Entry {
        guard let end = expiry?.end(from: fetchedAt) else { return self }
        var entry = self
        entry.expiresAt = respectsServer ? min(expiresAt, end) : end
        entry.directives.usableUntil = directives.usableUntil.map { min($0, end) }
        return entry
    }
}
