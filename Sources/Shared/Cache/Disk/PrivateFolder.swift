import CSystem
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Support

/// A folder that nobody but this user can look into or change, although it may lie where everybody can write, such as
/// in `/dev/shm`.
enum PrivateFolder {
    /// Opens the folder, where it is safe to use: it is a folder and no link to one, it is this user's, nobody else has
    /// any right to it, and nobody else can put another one in its place. Throws `Unusable`.
    ///
    /// - Parameter making: whether it is made where it is missing; the one above it must be there.
    static func open(_ path: String, making: Bool) throws -> File {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let name = String(path[slash...].dropFirst())
        // Its names are of no interest, and a confined process may not read them.
        let above = try openFolder(
            AT_FDCWD, slash == path.startIndex ? "/" : String(path[..<slash]), path, flags: Self.unread)
        let parent = try status(of: above)
        guard parent.st_uid == geteuid() || parent.st_uid == 0 else {
            throw Unusable.unsafe(path, reason: "the folder above it is somebody else's")
        }
        // The sticky bit keeps others from removing or renaming what is ours.
        guard parent.st_mode & 0o022 == 0 || parent.st_mode & S_ISVTX != 0 else {
            throw Unusable.unsafe(path, reason: "anybody may rename what is in the folder above it")
        }
        if making, mkdirat(above.descriptor, name, 0o700) != 0, errno != EEXIST {
            throw Unusable.failed(path, errno: errno)
        }
        let folder = try openFolder(above.descriptor, name, path, flags: O_NOFOLLOW)
        let found = try status(of: folder)
        guard found.st_uid == geteuid() else { throw Unusable.unsafe(path, reason: "it is somebody else's") }
        guard found.st_mode & 0o077 == 0 else { throw Unusable.unsafe(path, reason: "others may look into it") }
        return folder
    }

    /// Why a folder is of no use.
    enum Unusable: Error {
        case failed(String, errno: Int32)
        case unsafe(String, reason: String)

        var isMissing: Bool { if case .failed(_, ENOENT) = self { true } else { false } }

        var reason: String {
            switch self {
            case .failed(let path, let errno): "\(path): \(systemMessage(errno))"
            case .unsafe(let path, let reason): "\(path) is not safe: \(reason)"
            }
        }
    }

    #if canImport(Darwin)
    private static let unread: Int32 = 0
    #else
    private static let unread: Int32 = 0o10000000  // O_PATH of <fcntl.h>, which it hides from Swift
    #endif

    /// - Parameter path: what to name in a failure.
    private static func openFolder(
        _ above: Int32, _ name: String, _ path: String, flags: Int32 = 0
    ) throws -> File {
        let descriptor = openat(above, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags)
        guard descriptor >= 0 else { throw Unusable.failed(path, errno: errno) }
        return try File(descriptor: descriptor, path: path)
    }

    private static func status(of folder: File) throws -> stat {
        var status = stat()
        guard fstat(folder.descriptor, &status) == 0 else { throw Unusable.failed(folder.path, errno: errno) }
        return status
    }

    /// Whether what is in the folder lies in memory.
    static func isInMemory(_ folder: File) -> Bool { csystem_is_in_memory(folder.descriptor) }
}
