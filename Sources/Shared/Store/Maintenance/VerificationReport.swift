import Support

/// One thing that is not as it should be.
public struct VerificationProblem: Sendable, Equatable {
    /// What is wrong. The words are stable, for programs.
    public enum Code: String, Sendable, CaseIterable {
        /// The index cannot be read, or contradicts itself.
        case indexDamaged = "index-damaged"
        /// There are files, but no index, or a new one that does not know them.
        case indexLost = "index-lost"
        /// A row has no file.
        case fileMissing = "file-missing"
        /// A file has another size than its row says.
        case fileSize = "file-size"
        /// A file cannot be read.
        case fileUnreadable = "file-unreadable"
        /// A file's SHA-256 is not that of its row.
        case contentDiffers = "content-differs"
        /// A file has the content of its row, but that is not what may be kept there (`gif-cache verify`).
        case contentRefused = "content-refused"
        /// The sums that the index keeps are not those of its rows.
        case sumsDiffer = "sums-differ"
    }

    public let code: Code
    public let scope: String?
    /// Nil if it concerns no single entry, or the key is not known.
    public let key: String?
    public let path: String
    public let detail: String?
    public let isRepaired: Bool
}

/// What one step of a verification has looked at and found.
public struct VerificationStep: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// The index itself: `PRAGMA integrity_check`, and whether it is there.
        case index
        /// Every row has its file, of the right size.
        case mark
        /// Every file has the content that its row says.
        case check
        /// What killed runs have left, which `clean` takes away too; and sums.
        case sweep
        /// Rows made again from files.
        case rebuild
    }

    public let kind: Kind
    /// Rows or files that were looked at; for `sweep` what was left over, for `rebuild` the rows that were made.
    public internal(set) var count = 0
    public internal(set) var bytes = 0
    public internal(set) var problems = 0
    public internal(set) var duration: Duration = .zero

    init(_ kind: Kind) { self.kind = kind }
}

/// What a verification tells while it runs.
public enum VerificationEvent: Sendable, Equatable {
    case problem(VerificationProblem)
    case step(VerificationStep)
}
