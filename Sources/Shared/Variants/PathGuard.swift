import Libc
import Store
import Support

/// Restricts the files that records may name. Otherwise, a malicious record could make the tool show any picture that
/// the user can read.
public struct PathGuard: Sendable, Hashable {
    /// Absolute paths of the allowed folders, without symbolic links.
    let folders: [String]

    /// Allows these folders, after resolving symbolic links in their paths.
    public init(folders: [String]) { self.init(resolved: folders.map(Folder.resolve)) }

    init(resolved folders: [String]) { self.folders = folders }

    /// Returns the allowed folder that contains a file, and the rest of the file's path. Returns nil if no allowed
    /// folder contains the file. Performs no I/O.
    ///
    /// - Parameter path: an absolute path without symbolic links. It is compared byte by byte.
    func place(of path: String) -> (folder: String, name: String)? {
        for folder in folders {
            let prefix = folder == "/" ? folder : folder + "/"
            guard path.utf8.starts(with: prefix.utf8) else { continue }
            let name = String(Substring(path.utf8.dropFirst(prefix.utf8.count)))
            let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            if parts.allSatisfy({ !["", ".", ".."].contains(Substring($0)) }) { return (folder, name) }
        }
        return nil
    }

    /// Opens a file that a record names, if it is in an allowed folder. Resolves symbolic links, then opens the
    /// resolved path below the allowed folder without following links, so that no part of the path can be replaced by a
    /// link in the meantime. Throws `PathRefusal`, and `SystemFailure` (66) for an allowed file that cannot be opened.
    public func open(_ path: String) throws -> File {
        guard let (folder, name) = place(of: Folder.resolve(path)) else { throw PathRefusal.outside(path) }
        do {
            return try Folder(resolved: folder).open(name, O_RDONLY, purpose: .openInput)
        } catch is UnsafePath {
            throw PathRefusal.notAFile(path)
        } catch let failure as SystemFailure {
            // If the folder is missing, the failure names only the folder. Name the whole path instead.
            throw SystemFailure(errno: failure.errno, "open \(path)", purpose: .openInput)
        }
    }
}

/// The refusal of a file that a record names.
public enum PathRefusal: Failure, Equatable {
    /// No allowed folder contains the file.
    case outside(String)
    /// The file is a folder, a pipe or a device, or has just been replaced by a link.
    case notAFile(String)

    public var code: String { "path-not-allowed" }
    public var exitCode: ExitCode { .notAllowed }

    public var message: String {
        switch self {
        case .outside(let path) where CacheRoot.isLikeBlob(path):
            "\(path) is not in the cache of this run; name its cache with --cache-dir, and if that cache was moved, run"
                + " the records through img-cache get first"
        case .outside(let path):
            "\(path): records and lines may name only files in the cache or --output-dir; allow its folder with"
                + " --allow-path, or name its cache with --cache-dir"
        case .notAFile(let path): "\(path): a record may name only regular files; pass other files as arguments"
        }
    }
}
