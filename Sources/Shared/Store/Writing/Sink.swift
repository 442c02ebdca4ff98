import Support

/// Takes the bytes of a file that is being made. The file stands in its place once it is committed; a sink that is
/// released before that leaves nothing behind.
///
/// For one thread at a time.
public protocol Sink: ByteSink {
    /// Puts the file in its place; nothing can be written afterwards. Throws what the writing of a file does:
    /// `SystemFailure`, and `CacheFailure` if the file belongs to a cache.
    ///
    /// - Parameter picture: what the bytes are.
    func commit(_ picture: FileFacts) throws -> MadeFile
}

/// A file that was made, now or earlier.
public struct MadeFile: Sendable, Equatable {
    /// Absolute, links resolved.
    public let path: String
    public let bytes: Int
    /// IANA media type.
    public let contentType: String
    /// Pixels of the upright picture.
    public let width: Int?
    public let height: Int?
    /// See `FileFacts.details`.
    public let details: String?
    /// Whether it was made now, and not found.
    public let isNew: Bool

    /// A file that was made now, if nothing else is said.
    public init(path: String, bytes: Int, _ picture: FileFacts, isNew: Bool = true) {
        self.path = path
        self.bytes = bytes
        contentType = picture.contentType
        width = picture.width
        height = picture.height
        details = picture.details
        self.isNew = isNew
    }

    /// The file of an entry.
    init(_ entry: Entry, isNew: Bool) {
        path = entry.path
        bytes = entry.bytes
        contentType = entry.contentType
        width = entry.width
        height = entry.height
        details = entry.details
        self.isNew = isNew
    }

    /// Pixels of the picture; 0 if its size is not known.
    var pixels: Int { (width ?? 0).multipliedReportingOverflow(by: height ?? 0).partialValue }
}
