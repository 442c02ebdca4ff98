import Libc

/// A file's metadata.
public struct FileStatus: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        case file, folder, link, fifo, socket, other
    }

    public let kind: Kind
    public let bytes: Int
    public let identity: File.Identity
    /// The user who owns it.
    public let owner: uid_t
    public let group: gid_t
    /// The permissions, including the sticky bit and its like.
    public let mode: mode_t
    /// How many names the file has.
    public let links: Int
    public let modified: Timestamp
    /// The same in nanoseconds since 1970, as exact as the file system keeps it; meaningless beyond the year 2262.
    public let modifiedNanoseconds: Int64
    /// When the file was last changed, renamed, or had its mode changed.
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

    /// The status of an open file. Throws `SystemFailure`, the only use of `path`.
    public init(of descriptor: Int32, path: @autoclosure () -> String) throws(SystemFailure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let errno = errno
            throw SystemFailure(errno: errno, "look at \(path())")
        }
        self.init(status)
    }

    /// The status of the file, folder or link at a path; nil if there is none. Throws `SystemFailure` if that cannot be
    /// determined.
    public init?(at path: String, followingLinks: Bool = true) throws(SystemFailure) {
        var status = stat()
        let flags = followingLinks ? 0 : AT_SYMLINK_NOFOLLOW
        guard path.withPathPointer({ fstatat(AT_FDCWD, $0, &status, flags) }) == 0 else {
            if SystemFailure.provesAbsence(errno) { return nil }
            throw SystemFailure(errno: errno, "look at \(path)")
        }
        self.init(status)
    }
}

extension Timestamp {
    fileprivate init(_ time: timespec) {
        self.init(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
