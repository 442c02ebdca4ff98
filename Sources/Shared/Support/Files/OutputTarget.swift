import Libc

/// The target of an output path after following links.
public struct OutputTarget {
    /// The path of the target, whose last component is not a link. Relative if the name and all links are relative.
    public let path: String
    /// Whether to write in place rather than replace the target: a pipe, a device, or an open file of a process
    /// (`/dev/stdout`, `/dev/fd/3`).
    let isStream: Bool
    /// The existing file to replace, if any.
    let replaced: FileStatus?

    /// The mode before the umask. No other user may open a replacement until it has the old file's mode.
    var initialMode: mode_t { replaced == nil ? 0o666 : 0o600 }

    /// The folder with a final slash; empty for the current folder.
    var folder: String { path.folderPrefix }

    /// The path that a confined process must be allowed to write.
    public var writablePlace: String { isStream ? path : folder.isEmpty ? "." : folder }

    /// Follows the links at the end of `name`, even to a missing file, as open(2) with O_CREAT does. Throws for a loop
    /// of links, a folder, a file that is not writable, and another user's link in a folder such as `/tmp`.
    public init(_ name: String) throws(SystemFailure) {
        var path = name
        // At most 40 links, as in Linux (path_resolution(7)).
        for _ in 0...40 {
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
            // Replacing a file by renaming requires only a right on its folder, so check that the file is writable.
            case .file:
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

    /// Whether a link is in /proc. Such a link refers to an open file, whose name may have changed.
    private static func isOpenFile(link: FileStatus) throws(SystemFailure) -> Bool {
        try FileStatus(at: "/proc/self", followingLinks: false)?.identity.device == link.identity.device
    }

    private static func failure(_ errno: Int32, _ name: String) -> SystemFailure {
        SystemFailure(errno: errno, "create \(name)", purpose: .makeOutput)
    }

    /// Applies the rule of `fs.protected_symlinks` (proc(5)), since the kernel does not see the links that are followed
    /// here: in a shared folder, follows only links of this user and of the folder's owner.
    private static func mayFollow(linkOf owner: uid_t, in folder: String) throws(SystemFailure) -> Bool {
        guard let status = try FileStatus(at: folder.isEmpty ? "." : folder) else { return false }
        let isShared = status.mode & S_ISVTX != 0 && status.mode & S_IWOTH != 0
        return !isShared || owner == geteuid() || owner == status.owner
    }
}

extension FileStatus {
    /// Copies owner, group and permissions to `file`, a new file that no other user may open yet. Ignores refusals,
    /// since the process may lack the right, or the file system may have no modes.
    ///
    /// Omits set-user-ID, set-group-ID and the sticky bit, which were granted to the old content. If the group cannot
    /// be set, the new file's group gets only the rights of all users.
    func copyOwnership(to file: File) {
        var mode = mode & 0o777
        if (file.status.owner, file.status.group) != (owner, group), fchown(file.descriptor, owner, group) != 0,
            file.status.group != group, fchown(file.descriptor, uid_t.max, group) != 0
        {
            mode = mode & 0o707 | (mode & 0o007) << 3
        }
        _ = fchmod(file.descriptor, mode)
    }
}
