import Support

/// The result of a step of `clean`.
public struct CleanStep: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Rows recovered from their files after the loss of an index.
        case rebuild
        /// Expired and superseded entries, unless pinned or leased.
        case expired
        /// The least recently used entries of a root that exceeds its capacity.
        case capacity
        /// Remaining rows and files of purged scopes.
        case purges
        /// Cached failures. Their bytes are not counted.
        case failures
        /// Metadata that expired more than 30 days ago.
        case metadata
        /// Rows of copies outside the root whose files no longer exist. Their bytes are not counted.
        case copies
        /// Files whose rows were deleted.
        case files
        /// Files that never had a row, because the process that stored them was killed.
        case orphans
        /// Abandoned downloads.
        case partials
        /// Lock files that no process holds.
        case locks
        /// Damaged indexes.
        case damaged
        /// Empty folders.
        case folders
    }

    public let kind: Kind
    public var count = 0
    /// The bytes of removed files.
    public var bytes = 0
    public var duration: Duration = .zero

    init(_ kind: Kind) { self.kind = kind }

    mutating func add(_ bytes: Int) { add(EntrySum(entries: 1, bytes: bytes)) }

    mutating func add(_ removal: EntrySum) {
        count += removal.entries
        bytes += removal.bytes
    }
}
