import Support

/// A file outside of the cache that was made of a picture: a copy of it, or a variant.
public struct FileCopy: Sendable, Equatable {
    /// The absolute path.
    public var path: String
    public var bytes: Int
    /// The time of change, in nanoseconds since 1970.
    public var modified: Int64
    /// The SHA-256 of the picture, not of the file.
    public var sha256: String
    /// A note of the caller, kept as it was given.
    public var details: String

    public init(path: String, status: FileStatus, sha256: String, details: String) {
        self.init(
            path: path, bytes: status.bytes, modified: status.modifiedNanoseconds, sha256: sha256, details: details)
    }

    init(path: String, bytes: Int, modified: Int64, sha256: String, details: String) {
        self.path = path
        self.bytes = bytes
        self.modified = modified
        self.sha256 = sha256
        self.details = details
    }

    /// Whether all facts are equal, the path by its bytes.
    func isSame(as other: FileCopy) -> Bool { self == other && path.hasSameBytes(as: other.path) }

    /// Whether the file has the recorded size and time of change, the test of rsync and git.
    public func isUnchanged(_ status: FileStatus?) -> Bool {
        status?.kind == .file && status?.bytes == bytes && status?.modifiedNanoseconds == modified
    }
}
