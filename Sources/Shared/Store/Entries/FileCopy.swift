import Support

/// A file outside the cache that was made from a picture: a copy or a variant.
public struct FileCopy: Sendable, Equatable {
    /// The absolute path.
    public var path: String
    public var bytes: Int
    /// The modification time, in nanoseconds since 1970.
    public var modified: Int64
    /// The SHA-256 of the picture, not of the file.
    public var sha256: String
    /// Text chosen by the caller.
    public var details: String
    /// The boot in which the file was written without waiting for the disk; nil if it was synced.
    var boot: Int64?
}

extension FileCopy {
    public init(path: String, status: FileStatus, sha256: String, details: String) {
        self.init(
            path: path, bytes: status.bytes, modified: status.modifiedNanoseconds, sha256: sha256, details: details)
    }

    /// Whether all properties are equal. Compares paths byte by byte.
    func isSame(as other: FileCopy) -> Bool { self == other && path.hasSameBytes(as: other.path) }

    /// Whether the file has the recorded size and modification time, which rsync and git compare too. A folder of tiles
    /// counts as a file.
    public func isUnchanged(_ status: FileStatus?) -> Bool {
        guard let status, status.kind == .file || status.kind == .folder else { return false }
        return status.bytes == bytes && status.modifiedNanoseconds == modified
    }
}
