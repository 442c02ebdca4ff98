#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Support

/// Where everything lies below the root of a cache:
/// ```
/// CACHEDIR.TAG                      tells backup programs to pass by (bford.info/cachedir)
/// index.sqlite (-wal, -shm)         what is there
/// scopes/<scope>/<2 digits>/<file>  one file an entry
/// scopes/<scope>/g<n>/…             the same, for a scope that has been purged n times
/// partial/<scope>-<name>            a download under way, or what one that died has left; `.note` and others beside it
/// partial/<scope>-<name>.g<n>       the same, for a scope that has been purged n times
/// locks/<scope>-<name>              held by whoever fetches or makes that entry; `setup` by who makes the index,
///                                   `purge` by who removes what purges have left, `purger` by the background process
/// rebuild                           there while files may have lost their rows with an older index
/// ```
/// `<scope>` and `<name>` are 32 hexadecimal digits of a SHA-256: no text from outside ever becomes a path. The two
/// digits in between spread the files over 256 folders, since not every file system is at ease with a million files
/// in one. Folders are 0700, files 0600.
struct CacheRoot: Sendable {
    /// Absolute, without a slash at the end.
    let path: String

    /// A relative path is taken from the current folder.
    init(_ path: String) {
        var full = path.hasPrefix("/") ? path : Self.currentFolder() + "/" + path
        while full.count > 1, full.hasSuffix("/") { full.removeLast() }
        self.path = full
    }

    var index: String { path + "/index.sqlite" }
    var setupLock: String { locks + "/setup" }

    var purgeLock: String { locks + "/purge" }
    var purgerLock: String { locks + "/purger" }

    /// The place of a file that begins with 32 hexadecimal digits, in a folder of `ScopeName.folder`.
    func blob(_ file: String, folder: String) -> String { "\(scope(folder))/\(file.prefix(2))/\(file)" }

    /// All files of one generation of a scope.
    func scope(_ folder: String) -> String { "\(path)/scopes/\(folder)" }

    func partial(_ name: String, in scope: ScopeName, generation: Int64) -> String {
        "\(partials)/\(scope.hash)-\(name)\(generation == 0 ? "" : ".g\(generation)")"
    }

    /// The same for every generation: whoever takes it waits for one whose generation is over, and who sees that soon.
    func lock(_ name: String, in scope: ScopeName) -> String { "\(locks)/\(scope.hash)-\(name)" }

    /// Makes what is missing; any number of processes may do so at once.
    func make() throws {
        for folder in [path, scopes, partials, locks] { try Self.makeFolder(folder) }
        try makeFile(path + "/CACHEDIR.TAG", Array(Self.tag.utf8))
        try makeIndexFile()
    }

    /// Makes the index an empty file where there is none. SQLite would do so with the umask's mode; the files beside it
    /// take over this one's. One that is there is not even opened: closing it would let go of the locks that other
    /// connections of this process have (POSIX; sqlite.org/howtocorrupt.html §2.2).
    func makeIndexFile() throws { try makeFile(index, []) }

    private func makeFile(_ path: String, _ bytes: [UInt8]) throws {
        do {
            try File.open(path, O_WRONLY | O_CREAT | O_EXCL).write(bytes)
        } catch let failure as SystemFailure where failure.errno == EEXIST {}
    }

    /// Makes a folder with all above it, each with mode 0700; one that is there already is left as it is.
    static func makeFolder(_ path: String) throws {
        if mkdir(path, 0o700) == 0 || errno == EEXIST && isFolder(path) { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw CacheFailure.root(path, errno: errno)
        }
        try makeFolder(String(path[..<slash]))
        if mkdir(path, 0o700) != 0 && errno != EEXIST { throw CacheFailure.root(path, errno: errno) }
    }

    /// Opens a file below the root to be written, with the folder it lies in.
    func openToWrite(_ path: String, _ flags: Int32) throws -> File {
        do {
            return try File.open(path, flags | O_CREAT, purpose: .makeOutput)
        } catch let failure as SystemFailure where failure.errno == ENOENT {
            try Self.makeFolder(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
            return try File.open(path, flags | O_CREAT, purpose: .makeOutput)
        }
    }

    /// The device and inode that the index has now; nil where there is none. Differs from what was opened after the
    /// root was deleted, or a damaged index was set aside.
    func indexIdentity() -> Identity? {
        var status = stat()
        guard stat(index, &status) == 0 else { return nil }
        return Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    struct Identity: Sendable, Equatable {
        let device: UInt64
        let inode: UInt64
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        let found = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        if !found { errno = ENOTDIR }
        return found
    }

    private static func currentFolder() -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            getcwd(buffer.baseAddress!, buffer.count) == nil ? "" : String(cString: buffer.baseAddress!)
        }
    }

    private static let tag = """
        Signature: 8a477f597d28d172789f06886806bc55
        # This folder is a cache of apod-tools. It can be removed at any time.
        # See https://bford.info/cachedir/

        """
}
