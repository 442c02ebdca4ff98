import Libc
import Support

/// A new folder with a unique name, removed with its contents when the last reference is released.
public final class TemporaryFolder: Sendable {
    /// The absolute path, with links resolved and no final slash, so that absolute paths in a tool's output begin with
    /// it.
    public let path: String

    /// - Parameters:
    ///   - prefix: the beginning of the folder's name, to recognise folders that a crash left behind.
    ///   - parent: the folder above it; nil for `TMPDIR` or `/tmp`.
    public init(prefix: String = "apod-tools-test", in parent: String? = nil) throws {
        let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/\(prefix)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else {
            throw SystemFailure(errno: errno, "make a folder in \(parent)", purpose: .makeOutput)
        }
        path = String(cString: resolved)
        free(resolved)
    }

    deinit { Self.remove(path) }

    /// A writable memory-backed folder for `parent`; nil if the system has none.
    public static let memory: String? = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil

    /// Returns the absolute path of `name` in this folder, whether it exists or not.
    public func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Creates a folder and its parents, and returns its absolute path.
    @discardableResult
    public func makeFolder(_ name: String) throws -> String {
        var made = path
        for part in name.split(separator: "/") {
            made += "/\(part)"
            if made.withPathPointer({ mkdir($0, 0o700) }) != 0 && errno != EEXIST {
                throw SystemFailure(errno: errno, "make \(made)", purpose: .makeOutput)
            }
        }
        return made
    }

    /// Writes a file, replacing an older file, and returns its absolute path. Creates the folders in `name`. By
    /// default, only the owner may read a new file.
    @discardableResult
    public func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws -> String {
        if let slash = name.lastIndex(of: "/") { try makeFolder(String(name[..<slash])) }
        let file = try File.open(path(name), O_WRONLY | O_CREAT | O_TRUNC, mode: mode, purpose: .makeOutput)
        try file.write(bytes)
        return file.path
    }

    @discardableResult
    public func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws -> String {
        try write(name, Array(text.utf8), mode: mode)
    }

    /// Returns all bytes of the file `name`.
    public func read(_ name: String) throws -> [UInt8] { try TestFile.bytes(path(name)) }

    /// Returns the files and folders in this folder, at any depth, as sorted relative paths.
    public func contents() -> [String] {
        var result: [String] = []
        func walk(_ relative: String) {
            for name in Self.names(in: relative.isEmpty ? path : path(relative)) {
                let inner = relative.isEmpty ? name : "\(relative)/\(name)"
                result.append(inner)
                if Self.isFolder(path(inner)) { walk(inner) }
            }
        }
        walk("")
        return result.sorted()
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return path.withPathPointer { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns the names in a folder, sorted.
    public static func names(in folder: String) -> [String] {
        guard let stream = folder.withPathPointer({ opendir($0) }) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = String(nameIn: entry)
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes the file or folder at `path`, including a folder that a test made unreadable.
    private static func remove(_ path: String) {
        guard isFolder(path) else {
            path.withPathPointer { _ = unlink($0) }
            return
        }
        path.withPathPointer { _ = chmod($0, 0o700) }
        for name in names(in: path) { remove("\(path)/\(name)") }
        path.withPathPointer { _ = rmdir($0) }
    }
}

/// Reads whole files, for comparisons.
public enum TestFile {
    public static func bytes(_ path: String) throws -> [UInt8] {
        let file = try File.openInput(path)
        return try file.bytes(0..<file.count)
    }

    public static func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

    /// Returns whether a file, folder or link exists at this path.
    public static func exists(_ path: String) -> Bool {
        var status = stat()
        return path.withPathPointer { lstat($0, &status) } == 0
    }

    /// Returns the permission bits, such as `0o600`, or nil if the file is missing.
    public static func mode(_ path: String) -> mode_t? {
        var status = stat()
        return path.withPathPointer { lstat($0, &status) } == 0 ? status.st_mode & 0o7777 : nil
    }
}
