import Libc

/// Creates a folder that the user named, and missing folders above it. Throws `SystemFailure` (status 73).
///
/// - Parameter synchronized: whether to wait until the names of the new folders are on the disk.
public func makeFolder(_ path: String, mode: mode_t = 0o777, synchronized: Bool = false) throws {
    func make() -> Bool { path.withPathPointer { mkdir($0, mode) } == 0 }
    var isMade = make()
    if !isMade, errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex {
        try makeFolder(String(path[..<slash]), mode: mode, synchronized: synchronized)
        isMade = make()
    }
    guard isMade else {
        let code = errno
        if code == EEXIST, try FileStatus(at: path)?.kind == .folder { return }
        throw SystemFailure(errno: code == EEXIST ? ENOTDIR : code, "create the folder \(path)", purpose: .makeOutput)
    }
    if synchronized { try File.synchronizeFolder(of: path) }
}
