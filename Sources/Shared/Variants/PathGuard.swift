import Libc
import Store
import Support

/// Decides which files the text of a record may name, so that a record from a stranger cannot have the tool show any
/// picture that its user may read.
public struct PathGuard: Sendable, Hashable {
    /// Absolute paths of the folders below which files may lie, links resolved.
    let folders: [String]

    /// - Parameter folders: links in their paths are resolved now.
    public init(folders: [String]) { self.init(resolved: folders.map(Folder.resolve)) }

    init(resolved folders: [String]) { self.folders = folders }

    /// Returns the folder that a file lies below, and its path from there on, or nil if it lies below none. No I/O.
    ///
    /// - Parameter path: absolute, links resolved. It is compared by its bytes, case included.
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

    /// Opens a file that a record names, if it lies below one of the folders. Links in its path are followed first and
    /// it is the file behind them that must lie there; it is then opened from that folder on without following any, so
    /// that nobody can exchange a part of the path in between. Throws `PathRefusal`, and `SystemFailure` (66) for an
    /// allowed file that cannot be opened.
    public func open(_ path: String) throws -> File {
        guard let (folder, name) = place(of: Folder.resolve(path)) else { throw PathRefusal.outside(path) }
        do {
            return try Folder(resolved: folder).open(name, O_RDONLY, purpose: .openInput)
        } catch is UnsafePlace {
            throw PathRefusal.notAFile(path)
        } catch let failure as SystemFailure {
            // Also if it is the folder that is missing.
            throw SystemFailure(errno: failure.errno, "open \(path)", purpose: .openInput)
        }
    }
}

/// Why a file is not opened that a record names.
public enum PathRefusal: Failure, Equatable {
    /// It lies below none of the folders that records may name files in.
    case outside(String)
    /// It is a folder, a pipe or a device, or became a link at this moment.
    case notAFile(String)

    public var code: String { "path-not-allowed" }
    public var exitCode: ExitCode { .notAllowed }

    public var message: String {
        switch self {
        case .outside(let path) where CacheRoot.isLikeBlob(path):
            "\(path) is in no cache of this run; if the cache was moved, run the records through img-cache get again, else"
                + " name it with --cache-dir"
        case .outside(let path):
            "\(path): records and lines may name only files in the cache or --output-dir; allow its folder with"
                + " --allow-path, or name its cache with --cache-dir"
        case .notAFile(let path): "\(path): a record may only name regular files; give others as arguments"
        }
    }
}
