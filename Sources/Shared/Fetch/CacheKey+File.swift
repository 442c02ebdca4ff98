import HTTP
import Libc
import Store
import Support

extension CacheKey {
    /// A local file's key: its absolute path, links resolved, as a `file` address, percent-encoded byte for byte. A
    /// file that is gone has the key that it had. Throws `SystemFailure` (66).
    public static func ofFile(_ path: String) throws -> CacheKey {
        try CacheKey(printed: "file://" + PercentEncoding.encoded(file: resolved(path).pathBytes))
    }

    /// The key of what a local file holds: that of the file, or of bytes that came through a pipe, which has no lasting
    /// name, `key:sha256-` and their digest. Throws `SystemFailure` (66).
    public static func of(_ input: InputFile) throws -> CacheKey {
        try input.sha256OfStream.map { try CacheKey(name: "sha256-\($0)") } ?? ofFile(input.path)
    }

    /// Returns the path from the root on, links resolved as far as it exists; as it was given if that cannot be told.
    public static func absolutePath(_ path: String) -> String { (try? resolved(path)) ?? path }

    /// The path from the root on, links resolved as far as it exists. Throws `SystemFailure` (66).
    private static func resolved(_ path: String) throws -> String {
        if let found = resolvedPath(path) { return found }
        let code = errno
        guard code == ENOENT, !path.isEmpty, path != ".", path.utf8.last != UInt8(ascii: "/") else {
            throw SystemFailure(errno: code, "open \(path)", purpose: .openInput)
        }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return try resolved("./" + path) }
        let folder = try slash == path.startIndex ? "" : resolved(String(path[..<slash]))
        return (folder == "/" ? "" : folder) + path[slash...]
    }
}
