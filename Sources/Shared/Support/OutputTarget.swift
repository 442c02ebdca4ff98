import Libc

/// The place that the name of an output file stands for, once links are followed.
public struct OutputTarget {
    /// Without a link at its end. Relative if the name and all links are.
    public let path: String
    /// Whether to write to what is there, since a file in its place would not be the same: a pipe, a device, or what a
    /// process has open (`/dev/stdout`, `/dev/fd/3`).
    let isStream: Bool
    /// The file that is there; nil if there is none yet.
    let replaced: Replaced?

    /// What a new file is made with, less what the umask takes. One that replaces another gets that one's mode when it
    /// is open: until then nobody else may open it.
    var initialMode: mode_t { replaced == nil ? 0o666 : 0o600 }

    /// The folder with a slash at its end; empty for the current one.
    public var folder: String { Self.folder(of: path) }

    /// As many as Linux follows (path_resolution(7)).
    private static let linkLimit = 40

    /// Follows the links at the end of `name`, also to a file that does not exist yet, as writing to a link does.
    /// Throws `SystemFailure`: for a loop, a folder, a file that may not be written, and a link in a folder such as
    /// `/tmp` that somebody else put there.
    public init(_ name: String) throws(SystemFailure) {
        var path = name
        for _ in 0...Self.linkLimit {
            if path.isEmpty { throw Self.failure(ENOENT, name) }
            if path.utf8.last == UInt8(ascii: "/") { throw Self.failure(EISDIR, name) }
            var status = stat()
            guard path.withPathPointer({ lstat($0, &status) }) == 0 else {
                guard errno == ENOENT else { throw Self.failure(errno, name) }
                (self.path, isStream, replaced) = (path, false, nil)
                return
            }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: throw Self.failure(EISDIR, name)
            case S_IFREG:
                // Renaming needs a right on the folder only, but a file without the right to write is meant to stay.
                guard path.withPathPointer({ faccessat(AT_FDCWD, $0, W_OK, AT_EACCESS) }) == 0 else {
                    throw Self.failure(errno, name)
                }
                (self.path, isStream, replaced) = (path, false, Replaced(status))
                return
            case S_IFLNK where !Self.isOpenFile(link: status): break
            default:
                (self.path, isStream, replaced) = (path, true, nil)
                return
            }
            let folder = Self.folder(of: path)
            guard Self.mayFollow(linkOf: status.st_uid, in: folder) else { throw Self.failure(EACCES, name) }
            guard let link = Self.text(ofLink: path) else { throw Self.failure(errno, name) }
            path = link.utf8.first == UInt8(ascii: "/") ? link : folder + link
        }
        throw Self.failure(ELOOP, name)
    }

    /// Returns whether a link lies below /proc: such a one leads to an open file, whatever name that has or had.
    private static func isOpenFile(link: stat) -> Bool {
        var process = stat()
        return lstat("/proc/self", &process) == 0 && process.st_dev == link.st_dev
    }

    private static func failure(_ errno: Int32, _ name: String) -> SystemFailure {
        SystemFailure(errno: errno, "create \(name)", purpose: .makeOutput)
    }

    private static func folder(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
    }

    /// The rule of `fs.protected_symlinks` (proc(5)), which the kernel cannot apply to links that are followed here:
    /// where everybody may put links, only one's own and those of the folder's owner count.
    private static func mayFollow(linkOf owner: uid_t, in folder: String) -> Bool {
        var status = stat()
        guard (folder.isEmpty ? "." : folder).withPathPointer({ stat($0, &status) }) == 0 else { return false }
        let isShared = status.st_mode & S_ISVTX != 0 && status.st_mode & S_IWOTH != 0
        return !isShared || owner == geteuid() || owner == status.st_uid
    }

    /// Returns what a link says, or nil, with the reason in `errno`, if it cannot be read.
    private static func text(ofLink path: String) -> String? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
            let count = buffer.withMemoryRebound(to: CChar.self) { text in
                path.withPathPointer { readlink($0, text.baseAddress!, text.count) }
            }
            guard count >= 0 else { return nil }
            // The system lets no link be longer than this; a text that fills the buffer might be cut.
            guard count < buffer.count else {
                errno = ENAMETOOLONG
                return nil
            }
            return String(pathBytes: buffer[..<count])
        }
    }

    /// What a file passes on to the one that replaces it.
    struct Replaced {
        let owner: uid_t
        let group: gid_t
        /// Permission bits alone: set-user-ID and the like are for the content that they were given to.
        let mode: mode_t

        init(_ status: stat) {
            owner = status.st_uid
            group = status.st_gid
            mode = status.st_mode & 0o777
        }

        /// Gives `file`, which the process has just made and which nobody else may open, this owner, group and mode, as
        /// far as the process may. A group that cannot be kept must not lend its rights to another one. A file system
        /// without modes has none to keep.
        func passOn(to file: File) {
            var status = stat()
            guard fstat(file.descriptor, &status) == 0 else { return }
            var mode = mode
            if (status.st_uid, status.st_gid) != (owner, group), fchown(file.descriptor, owner, group) != 0,
                status.st_gid != group, fchown(file.descriptor, uid_t.max, group) != 0
            {
                mode = mode & 0o707 | (mode & 0o007) << 3
            }
            _ = fchmod(file.descriptor, mode)
        }
    }
}
