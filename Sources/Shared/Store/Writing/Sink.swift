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
    /// IANA media type.
    public let contentType: String
    /// Pixels of the upright picture.
    public let width: Int?
    public let height: Int?
    /// See `FileFacts.details`.
    public let details: String?
    /// Whether the file was made by this run rather than found.
    public let isNew: Bool

    public init(path: String, bytes: Int, _ picture: FileFacts, isNew: Bool = true) {
        self.path = path
        self.bytes = bytes
        contentType = picture.contentType
        width = picture.width
        height = picture.height
        details = picture.details
        self.isNew = isNew
    }

    init(_ entry: Entry, isNew: Bool) {
        self.init(path: entry.path, bytes: entry.bytes, entry.facts, isNew: isNew)
    }

    /// The number of pixels; 0 if unknown.
    var pixels: Int { (width ?? 0).multipliedReportingOverflow(by: height ?? 0).partialValue }
}
