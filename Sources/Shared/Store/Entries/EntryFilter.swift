import Support

/// Which entries of a scope are meant: those that meet every condition. No index helps with any of them (one for each
/// would cost every store), so entries are read a page at a time and looked at one by one.
public struct EntryFilter: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case original
        /// An original that stands in for those that could not be had.
        case placeholder
        case variant
        /// Replaced while it was in use.
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
    /// Under keys that begin and end so; a variant's key is its original's.
    public var keyPrefix = ""
    public var keySuffix = ""
    /// Fetched longer ago than this.
    public var olderThan: Duration?
    /// Fetched less long ago than this.
    public var newerThan: Duration?
    /// Not handed out for longer than this.
    public var unusedFor: Duration?
    /// More bytes than this.
    public var largerThan: Int?
    /// Fewer bytes than this.
    public var smallerThan: Int?
    /// Over key and address.
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
