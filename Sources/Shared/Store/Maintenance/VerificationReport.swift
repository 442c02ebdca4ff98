import Support

/// A fault of a root.
public struct VerificationProblem: Sendable, Equatable {
    /// The kind of fault. The codes are part of the output format and never change.
    public enum Code: String, Sendable, CaseIterable {
        /// The index cannot be read, or contradicts itself.
        case indexDamaged = "index-damaged"
        /// There are files, but the index is missing or was created again without their rows.
        case indexLost = "index-lost"
        /// The file of a row is missing.
        case fileMissing = "file-missing"
        /// The size of a file differs from its row.
        case fileSize = "file-size"
        /// A file cannot be read.
        case fileUnreadable = "file-unreadable"
        /// The SHA-256 of a file differs from its row.
        case contentDiffers = "content-differs"
        /// A file matches its row but fails a further check, as in `gif-cache verify`.
        case contentRefused = "content-refused"
        /// The sums in the index do not match its rows.
        case sumsDiffer = "sums-differ"
    }

    public let code: Code
    public internal(set) var scope: String?
    /// Nil if the problem does not concern a single entry, or if the key is unknown.
    public internal(set) var key: String?
    public let path: String
    public internal(set) var detail: String?
    public let isRepaired: Bool
}

/// The result of a verification step.
public struct VerificationStep: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Runs `PRAGMA integrity_check` on the index, if the index exists.
        case index
        /// Compares the existence and size of files with their rows.
        case mark
        /// Compares the content of files with their rows.
        case check
        /// Counts the files left by killed runs, which `clean` removes too, and compares the sums in the index with its
        /// rows.
        case sweep
        /// Recovers rows from files.
        case rebuild
    }

    public let kind: Kind
    /// The number of rows or files examined; for `sweep`, of files left by killed runs; for `rebuild`, of recovered
    /// rows.
    public internal(set) var count = 0
    public internal(set) var bytes = 0
    public internal(set) var problems = 0
    public internal(set) var duration: Duration = .zero

    init(_ kind: Kind) { self.kind = kind }
}

/// An event during a verification.
public enum VerificationEvent: Sendable, Equatable {
    case problem(VerificationProblem)
    case step(VerificationStep)
}
