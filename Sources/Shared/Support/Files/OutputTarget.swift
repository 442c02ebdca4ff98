import Libc

/// The place that the name of an output file stands for, after links are followed.
public struct OutputTarget {
    /// Without a link at its end. Relative if the name and all links are.
    public let path: String
    /// Whether to write to what is there, since a file in its place would not be the same: a pipe, a device, or what a
    /// process has open (`/dev/stdout`, `/dev/fd/3`).
    let isStream: Bool
    /// The file that is there; nil if there is none yet.
    let replaced: FileStatus?

    /// The mode of a new file, before the umask is applied. One that replaces another gets that one's mode once it is
    /// open: until then nobody else may open it.
    var initialMode: mode_t { replaced == nil ? 0o666 : 0o600 }

    /// The folder, with a slash at its end; empty for the current one.
    var folder: String { path.folderPrefix }

    /// What a process must have the right to write to: the folder, or what is at `path` if that is written to as it is.
    public var writablePlace: String { isStream ? path : folder.isEmpty ? "." : folder }

    /// As many links as Linux follows (path_resolution(7)).
    private static let linkLimit = 40

    /// Follows the links at the end of `name`, also to a file that does not exist yet, as writing to a link does.
    /// Throws `SystemFailure` for a loop, a folder, a file that may not be written, and a link in a folder such as
    /// `/tmp` that somebody else made.
    public init(_ name: String) throws(SystemFailure) {
        var path = name
        for _ in 0...Self.linkLimit {
            if path.isEmpty { throw Self.failure(ENOENT, name) }
            if path.utf8.last == UInt8(ascii: "/") { throw Self.failure(EISDIR, name) }
            let found: FileStatus?
            do { found = try FileStatus(at: path, followingLinks: false) } catch {
                throw Self.failure(error.errno, name)
            }
            guard let status = found else {
                (self.path, isStream, replaced) = (path, false, nil)
                return
            }
            switch status.kind {
            case .folder: throw Self.failure(EISDIR, name)
            case .file:
                // Renaming only needs a right on the folder, but a file that may not be written is meant to stay.
                guard path.withPathPointer({ faccessat(AT_FDCWD, $0, W_OK, AT_EACCESS) }) == 0 else {
                    throw Self.failure(errno, name)
                }
                (self.path, isStream, replaced) = (path, false, status)
                return
            case .link where try !Self.isOpenFile(link: status): break
            default:
                (self.path, isStream, replaced) = (path, true, nil)
                return
            }
            guard try Self.mayFollow(linkOf: status.owner, in: path.folderPrefix) else {
                throw Self.failure(EACCES, name)
            }
            guard let link = linkTarget(path) else { throw Self.failure(errno, name) }
            path = link.utf8.first == UInt8(ascii: "/") ? link : path.folderPrefix + link
        }
        throw Self.failure(ELOOP, name)
    }

    /// Whether a link lies below /proc: such a link leads to an open file, whatever name that has or had.
    private static func isOpenFile(link: FileStatus) throws(SystemFailure) -> Bool {
        try FileStatus(at: "/proc/self", followingLinks: false)?.identity.device == link.identity.device
    }

    private static func failure(_ errno: Int32, _ name: String) -> SystemFailure {
        SystemFailure(errno: errno, "create \(name)", purpose: .makeOutput)
    }

    /// The rule of `fs.protected_symlinks` (proc(5)), which the kernel cannot apply to links that are followed here: in
    /// a folder where everybody may put links, only one's own and those of the folder's owner are followed.
    private static func mayFollow(linkOf owner: uid_t, in folder: String) throws(SystemFailure) -> Bool {
        guard let status = try FileStatus(at: folder.isEmpty ? "." : folder) else { return false }
        let isShared = status.mode & S_ISVTX != 0 && status.mode & S_IWOTH != 0
        return !isShared || owner == geteuid() || owner == status.owner
    }
}

extension FileStatus {
    /// Gives `file`, which the process has just made and which nobody else may open, this file's owner, group and
    /// permissions, as far as the process may. Set-user-ID and the like are left out: they are for the content that they
    /// were given to. A group that cannot be kept must not lend its rights to another one. A file system without modes
    /// has none to keep.
    func passOn(to file: File) {
        var mode = mode & 0o777
        if (file.status.owner, file.status.group) != (owner, group), fchown(file.descriptor, owner, group) != 0,
            file.status.group != group, fchown(file.descriptor, uid_t.max, group) != 0
        {
            mode = mode & 0o707 | (mode & 0o007) << 3
        }
        _ = fchmod(file.descriptor, mode)
    }
}
