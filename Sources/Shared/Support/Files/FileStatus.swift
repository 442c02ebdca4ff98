import Libc

/// A file's metadata.
public struct FileStatus: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        case file, folder, link, fifo, socket, other
    }

    public let kind: Kind
    public let bytes: Int
    /// The bytes of the allocated blocks, fewer than `bytes` if the file has holes.
    public let allocated: Int
    public let identity: File.Identity
    public let owner: uid_t
    public let group: gid_t
    /// The permissions, including set-user-ID, set-group-ID and the sticky bit.
    public let mode: mode_t
    /// The number of hard links.
    public let links: Int
    public let modified: Timestamp
    /// `modified` in nanoseconds since 1970, as exact as the file system stores it; wraps around after the year 2262.
    public let modifiedNanoseconds: Int64
    /// The time of the last change of content, name or mode.
    public let changed: Timestamp

    public init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFIFO: .fifo
            case S_IFSOCK: .socket
            default: .other
            }
        bytes = Int(status.st_size)
        // In units of 512 bytes (stat(2)).
        allocated = Int(status.st_blocks) &* 512
        identity = File.Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        owner = status.st_uid
        group = status.st_gid
        mode = status.st_mode & 0o7777
        links = Int(status.st_nlink)
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        self.modified = Timestamp(modified)
        modifiedNanoseconds = Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec)
        self.changed = Timestamp(changed)
    }

    /// Reads the status of an open file. Throws `SystemFailure`; `path` is for its message only.
    public init(of descriptor: Int32, path: @autoclosure () -> String) throws(SystemFailure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let errno = errno
            throw SystemFailure(errno: errno, "access \(path())")
        }
        self.init(status)
    }

    /// Reads the status of the file, folder or link at a path; returns nil if the path does not exist. Throws
    /// `SystemFailure` if the lookup fails for another reason.
    public init?(at path: String, followingLinks: Bool = true) throws(SystemFailure) {
        var status = stat()
        let flags = followingLinks ? 0 : AT_SYMLINK_NOFOLLOW
        guard path.withPathPointer({ fstatat(AT_FDCWD, $0, &status, flags) }) == 0 else {
            if SystemFailure.provesAbsence(errno) { return nil }
            throw SystemFailure(errno: errno, "access \(path)")
        }
        self.init(status)
    }
}

extension Timestamp {
    fileprivate init(_ time: timespec) {
        self.init(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
