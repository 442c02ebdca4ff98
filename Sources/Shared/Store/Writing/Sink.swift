import Support

/// Receives the bytes of a file. `commit` renames the file into place. A sink that is released without a commit removes
/// its file. Not thread-safe.
public protocol Sink: ByteSink {
    /// Renames the file into place. No more bytes can be written. Throws `SystemFailure` and, for a file in a cache,
    /// `CacheFailure`.
    func commit(_ picture: FileFacts) throws -> MadeFile
}

/// A file that this run or an earlier run has made.
public struct MadeFile: Sendable, Equatable {
    /// The absolute path, with links resolved.
    public let path: String
    public let bytes: Int
    public let facts: FileFacts
    /// Whether the file was made by this run rather than found.
    public let isNew: Bool

    public init(path: String, bytes: Int, _ facts: FileFacts, isNew: Bool = true) {
        (self.path, self.bytes, self.facts, self.isNew) = (path, bytes, facts, isNew)
    }

    init(_ entry: Entry, isNew: Bool) {
        self.init(path: entry.path, bytes: entry.bytes, entry.facts, isNew: isNew)
    }

    /// The number of pixels; 0 if unknown.
    var pixels: Int { (facts.width ?? 0).multipliedReportingOverflow(by: facts.height ?? 0).partialValue }
}
