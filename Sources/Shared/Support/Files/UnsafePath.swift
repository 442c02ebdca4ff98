import Libc

/// A file or folder that another user may have prepared, or may change at any time.
public enum UnsafePath: Failure, Equatable {
    /// The path contains a symbolic link.
    case link(String)
    /// The file is not regular, or has another hard link.
    case notAPlainFile(String)
    /// The file or folder belongs to another user.
    case owner(String, owner: uid_t, user: uid_t)
    /// Every user may write to the file or folder.
    case writableByAll(String)
    /// Other users may read the folder.
    case readableByOthers(String)
    /// The parent folder belongs to another user.
    case ownerAbove(String)
    /// Every user may rename files in the parent folder.
    case writableAbove(String)

    public var code: String { "unsafe-place" }
    public var exitCode: ExitCode { .configuration }

    public var message: String { "\(path) is not safe to use: \(reason)\(advice)" }

    public var path: String {
        switch self {
        case .link(let path), .notAPlainFile(let path), .owner(let path, _, _), .writableByAll(let path),
            .readableByOthers(let path), .ownerAbove(let path), .writableAbove(let path):
            path
        }
    }

    public var reason: String {
        switch self {
        case .link: "its path contains a symbolic link"
        case .notAPlainFile: "it is not a regular file, or has another hard link"
        case .owner(_, let owner, let user): "it belongs to user \(owner), and you are user \(user)"
        case .writableByAll: "every user can write to it"
        case .readableByOthers: "other users can read it"
        case .ownerAbove: "its parent folder belongs to another user"
        case .writableAbove: "every user can rename files in its parent folder"
        }
    }

    private var advice: String {
        switch self {
        case .link, .notAPlainFile: "; choose another path, or move the link or file away"
        case .owner(let path, _, let user):
            "; if it is yours, run: sudo chown -R \(user) \(Self.quoted(path)); if other users share it, set"
                + " APOD_TOOLS_ALLOW_SHARED_ROOT=true"
        case .writableByAll(let path):
            "; run: chmod o-w \(Self.quoted(path)); if other users share it, set APOD_TOOLS_ALLOW_SHARED_ROOT=true"
        case .readableByOthers(let path): "; run: chmod go= \(Self.quoted(path))"
        case .ownerAbove, .writableAbove: "; choose another path"
        }
    }

    /// Quotes a path for a shell if necessary.
    private static func quoted(_ path: String) -> String {
        let plain = path.utf8.allSatisfy { $0.isLetter || $0.isDigit || "/._-+:@%".utf8.contains($0) }
        if plain, !path.isEmpty { return path }
        // Messages show bytes that are not UTF-8 as `\xNN`, which bash reads in `$'…'`.
        if path.hasForeignBytes {
            return "$'" + path.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
        }
        return "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    // MARK: Decisions

    /// Returns the fault of a folder that does not belong to `user`, or that every user may write to; else nil.
    public static func fault(ofFolder path: String, _ status: FileStatus, user: uid_t = geteuid()) -> UnsafePath? {
        if status.kind == .link { return .link(path) }
        if status.owner != user { return .owner(path, owner: status.owner, user: user) }
        return status.mode & 0o002 != 0 ? .writableByAll(path) : nil
    }

    /// Like `fault(ofFolder:)`, but also returns a fault if the group or other users have any right to the folder.
    public static func fault(
        ofPrivateFolder path: String, _ status: FileStatus, user: uid_t = geteuid()
    ) -> UnsafePath? {
        if status.owner == user, status.mode & 0o077 != 0 { return .readableByOthers(path) }
        return fault(ofFolder: path, status, user: user)
    }

    /// Returns the fault of a folder that other users may replace, else nil. The sticky bit of its parent folder, whose
    /// status is `above`, prevents replacement.
    public static func fault(above path: String, _ above: FileStatus, user: uid_t = geteuid()) -> UnsafePath? {
        if above.owner != user && above.owner != 0 { return .ownerAbove(path) }
        return above.mode & 0o022 != 0 && above.mode & S_ISVTX == 0 ? .writableAbove(path) : nil
    }
}
