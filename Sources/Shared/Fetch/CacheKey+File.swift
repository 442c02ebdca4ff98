import Libc
import Store
import Support

extension CacheKey {
    /// The key of a local file: its absolute path with links resolved, as a percent-encoded `file` address. The file
    /// need not exist. Throws `SystemFailure` (exit status 66).
    public static func ofFile(_ path: String) throws -> CacheKey {
        try CacheKey(printed: "file://" + PercentEncoding.encoded(file: resolved(path).pathBytes))
    }

    /// The key of an input: `ofFile` for a file; `key:sha256-` and the digest of its bytes for a pipe, which has no
    /// lasting name. Throws `SystemFailure` (exit status 66).
    public static func of(_ input: InputFile) throws -> CacheKey {
        try input.sha256OfStream.map { try CacheKey(name: "sha256-\($0)") } ?? ofFile(input.path)
    }

    /// Returns the absolute path with the links in its existing part resolved, or the path unchanged if that fails.
    public static func absolutePath(_ path: String) -> String { (try? resolved(path)) ?? path }

    /// Returns the absolute path with the links in its existing part resolved. Throws `SystemFailure` (exit status 66).
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
