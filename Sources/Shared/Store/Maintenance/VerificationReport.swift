import Support

/// A fault of a root.
public struct VerificationProblem: Sendable, Equatable {
    /// The kind of fault. Programs rely on these codes.
    public enum Code: String, Sendable, CaseIterable {
        /// The index cannot be read, or contradicts itself.
        case indexDamaged = "index-damaged"
        /// Files exist, but no index, or a new index without their rows.
        case indexLost = "index-lost"
        /// A row has no file.
        case fileMissing = "file-missing"
        /// A file has another size than in its row.
        case fileSize = "file-size"
        /// A file cannot be read.
        case fileUnreadable = "file-unreadable"
        /// A file has another SHA-256 than in its row.
        case contentDiffers = "content-differs"
        /// A file matches its row but is refused by a further check (`gif-cache verify`).
        case contentRefused = "content-refused"
        /// The sums in the index do not match its rows.
        case sumsDiffer = "sums-differ"
    }

    public let code: Code
    public let scope: String?
    /// Nil if the problem concerns no single entry, or the key is unknown.
    public let key: String?
    public let path: String
    public let detail: String?
    public let isRepaired: Bool
}

/// The result of a verification step.
public struct VerificationStep: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Runs `PRAGMA integrity_check` on the index, if there is an index.
        case index
        /// Compares the existence and size of files with their rows.
        case mark
        /// Compares the content of files with their rows.
        case check
        /// Counts the remains of killed runs, which `clean` removes as well, and compares the sums.
        case sweep
        /// Recovers rows from files.
        case rebuild
    }

    public let kind: Kind
    /// The rows or files examined; for `sweep` the files left over, for `rebuild` the recovered rows.
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
