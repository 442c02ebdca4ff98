#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is written beside its place and moved there when it is whole, so that nothing changes on failure.
///
/// What is not committed is removed when the last reference goes. What is there and is no regular file (a pipe, a
/// device such as `/dev/stdout`) is written to as it stands: moving a file over it would destroy it.
public final class OutputFile {
    public let path: String
    private let file: File
    /// Nil where the file is written in its place.
    private let temporaryPath: String?
    private var isCommitted = false
    /// Those of this process that are neither committed nor removed.
    private static let begun = Monitor(Set<String>())

    /// Removes what has been begun by anyone in this process: for one that ends without letting them finish.
    static func removeBegun() {
        for path in begun.withLock({ $0 }) { unlink(path) }
    }

    /// Begins a file that will stand at `path`; `mode` is narrowed by the umask. Throws `SystemFailure` (status 73)
    /// where the folder is missing or cannot be written.
    public init(path: String, mode: mode_t = 0o666) throws {
        self.path = path
        if Self.isStream(path) {
            temporaryPath = nil
            file = try File.open(path, O_WRONLY, purpose: .makeOutput)
            return
        }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? ""
        // Random, so that two runs at once do not meet; exclusive, so that nobody's file is followed or overwritten.
        let temporaryPath = "\(folder).apod-tools-\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).part"
        self.temporaryPath = temporaryPath
        do {
            file = try File.open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
        } catch let error as SystemFailure {
            throw SystemFailure(
                errno: error.errno, "create \(path)", purpose: .makeOutput, isConfined: error.isConfined)
        }
        Self.begun.withLock { _ = $0.insert(temporaryPath) }
    }

    deinit {
        guard let temporaryPath else { return }
        if !isCommitted { unlink(temporaryPath) }
        Self.begun.withLock { _ = $0.remove(temporaryPath) }
    }

    /// What has to be writable for a file to be written to `path`: its folder, links followed, or the pipe or device
    /// that is there.
    static func places(of path: String) -> [String] {
        if isStream(path) { return [path] }
        let found = realpath(path, nil)
        defer { free(found) }
        let target = found.map { String(cString: $0) } ?? path
        guard let slash = target.lastIndex(of: "/") else { return ["."] }
        return [slash == target.startIndex ? "/" : String(target[..<slash])]
    }

    /// Whether a pipe, a device or a socket is there, links followed.
    private static func isStream(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    public func write(_ bytes: UnsafeRawBufferPointer) throws {
        do {
            try file.write(bytes)
        } catch {
            throw SystemFailure(errno: error.errno, "write \(path)")
        }
    }

    /// Moves the file to its place, over an older one. With `synchronized` it is on the disk before.
    public func commit(synchronized: Bool = false) throws {
        guard let temporaryPath else { return }
        if synchronized { try file.synchronize() }
        guard rename(temporaryPath, path) == 0 else {
            throw SystemFailure(errno: errno, "create \(path)", purpose: .makeOutput)
        }
        isCommitted = true
    }
}

/// Makes a folder and those above it where they are missing. Throws `SystemFailure` (status 73).
public func makeFolder(_ path: String, mode: mode_t = 0o777) throws {
    if mkdir(path, mode) == 0 || errno == EEXIST {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw SystemFailure(errno: ENOTDIR, "make the folder \(path)", purpose: .makeOutput)
        }
        return
    }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
        throw SystemFailure(errno: errno, "make the folder \(path)", purpose: .makeOutput)
    }
    try makeFolder(String(path[..<slash]), mode: mode)
    guard mkdir(path, mode) == 0 || errno == EEXIST else {
        throw SystemFailure(errno: errno, "make the folder \(path)", purpose: .makeOutput)
    }
}
