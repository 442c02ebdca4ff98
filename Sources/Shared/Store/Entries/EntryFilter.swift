import Support

/// Conditions on entries; an entry must meet all of them. Entries are read page by page and checked individually: SQL
/// indexes for these conditions would slow down every store.
public struct EntryFilter: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case original
        /// A placeholder for unavailable GIFs.
        case placeholder
        case variant
        case superseded

        init(_ entry: Entry) {
            switch entry.kind {
            case .original: self = entry.isPlaceholder ? .placeholder : .original
            case .variant: self = .variant
            case .superseded: self = .superseded
            }
        }
    }

    public var kinds: Set<Kind> = [.original]
    /// The beginning of the key; for a variant, of its original's key.
    public var keyPrefix = ""
    public var keySuffix = ""
    /// Accepts entries that were fetched longer ago than this duration.
    public var olderThan: Duration?
    /// Accepts entries that were fetched within this duration.
    public var newerThan: Duration?
    /// Accepts entries that were last leased longer ago than this duration.
    public var unusedFor: Duration?
    public var largerThan: Int?
    public var smallerThan: Int?
    /// Must match the key or the address.
    public var pattern: AddressPattern?
    public var isExpired = false
    public var isPinned = false

    public init() {}

    public func accepts(_ entry: Entry, now: Timestamp) -> Bool {
        guard kinds.contains(Kind(entry)) else { return false }
        let key = entry.key ?? ""
        guard key.utf8.starts(with: keyPrefix.utf8), key.utf8.reversed().starts(with: keySuffix.utf8.reversed()) else {
            return false
        }
        if let olderThan, entry.fetchedAt >= now - olderThan { return false }
        if let newerThan, entry.fetchedAt <= now - newerThan { return false }
        if let unusedFor, entry.lastUsed >= now - unusedFor { return false }
        if let largerThan, entry.bytes <= largerThan { return false }
        if let smallerThan, entry.bytes >= smallerThan { return false }
        if isExpired, !entry.isExpired(at: now) { return false }
        if isPinned, !entry.isPinned { return false }
        let addresses = [entry.url, entry.key].compactMap(\.self)
        if let pattern, !addresses.contains(where: pattern.matches) { return false }
        return true
    }
}
