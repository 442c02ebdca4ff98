import CSystem
import Libc

/// An open folder: the only access to files below a cache root. Methods throw `SystemFailure`.
///
/// Names are relative paths. They never leave the folder or follow a symbolic link, even if another user plants a link.
/// They stay relative to the opened folder even if it is renamed and another folder takes its path.
public final class Folder: Sendable {
    public let descriptor: Int32
    /// The absolute path at the time of opening, with all links resolved.
    public let path: String
    public let identity: File.Identity
    /// Whether to open names with openat2(2), which refuses links. Otherwise each component is opened separately.
    private let usesOpenat2: Bool
    private let fault: Fault?

    /// For tests: makes a call on `name` fail with the returned error number. Returns nil for calls that must not fail.
    public typealias Fault = @Sendable (_ name: String) -> Int32?

    /// Opens the folder at `path`. Follows links.
    ///
    /// - Parameter isListed: whether to allow calls of `names`, which need the right to read the folder.
    public convenience init(_ path: String, isListed: Bool = true) throws {
        try self.init(resolved: Folder.resolve(path), isListed: isListed)
    }

    /// Opens the folder at a path that `resolve` returned. Fails if the folder has been replaced by a link.
    ///
    /// - Parameters:
    ///   - usesOpenat2: false to test the fallback without openat2(2).
    ///   - fault: makes calls fail, in this folder and in folders opened through it.
    public convenience init(
        resolved path: String, isListed: Bool = true, usesOpenat2: Bool = true, fault: Fault? = nil
    ) throws {
        let opened = systemOpen(path, (isListed ? O_RDONLY : Self.pathOnlyFlag) | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { throw SystemFailure(errno: errno, "open \(path)") }
        try self.init(descriptor: opened, path: path, usesOpenat2: usesOpenat2, fault: fault)
    }

    private init(descriptor: Int32, path: String, usesOpenat2: Bool, fault: Fault?) throws {
        self.descriptor = descriptor
        self.path = path
        self.usesOpenat2 = usesOpenat2
        self.fault = fault
        identity = try FileStatus(of: descriptor, path: path).identity
    }

    deinit { close(descriptor) }

    #if canImport(Darwin)
    private static let pathOnlyFlag = O_RDONLY
    #else
    private static let pathOnlyFlag: Int32 = 0o10000000  // O_PATH, which Swift does not import from <fcntl.h>
    #endif

    public func status() throws -> FileStatus { try FileStatus(of: descriptor, path: path) }

    public func path(of name: String) -> String { path == "/" ? "/\(name)" : "\(path)/\(name)" }

    // MARK: Files

    /// Opens a regular file with `flags` and close-on-exec. Does not wait for the other end of a FIFO. Throws
    /// `UnsafePath` for anything but a regular file, and for writing to a file that has another hard link.
    public func open(
        _ name: String, _ flags: Int32, mode: mode_t = 0o600, purpose: SystemFailure.Purpose = .io
    ) throws -> File {
        // Truncates only after checking the type of the file.
        let opened = descriptor(of: name, flags & ~O_TRUNC | O_NONBLOCK, mode: mode)
        let path = path(of: name)
        guard opened >= 0 else {
            if errno == ELOOP { throw UnsafePath.link(path) }
            throw SystemFailure(errno: errno, "open \(path)", purpose: purpose)
        }
        let file = try File(descriptor: opened, path: path)
        guard file.isRegular, flags & O_ACCMODE == O_RDONLY || file.status.links <= 1 else {
            throw UnsafePath.notAPlainFile(path)
        }
        if flags & O_TRUNC != 0, file.count > 0, ftruncate(opened, 0) != 0 {
            throw SystemFailure(errno: errno, "empty \(path)", purpose: purpose)
        }
        return file
    }

    /// Opens a file, or returns nil if it is missing or `open` throws `UnsafePath`.
    public func openIfPresent(_ name: String, _ flags: Int32 = O_RDONLY) throws -> File? {
        do {
            return try open(name, flags)
        } catch let failure as SystemFailure where SystemFailure.provesAbsence(failure.errno) {
            return nil
        } catch is UnsafePath {
            return nil
        }
    }

    /// Returns the status of a file, folder or link, or nil if an error proves its absence
    /// (`SystemFailure.provesAbsence`). Throws `SystemFailure` for other errors.
    public func status(of name: String) throws(SystemFailure) -> FileStatus? {
        // A name that leaves the folder refers to no file.
        if Self.parts(of: name) == nil { return nil }
        var status = stat()
        #if !canImport(Darwin)
        // Uses a single lookup in the kernel, since this runs for each cache hit.
        if usesOpenat2, fault == nil {
            let opened = retryingAfterSignal {
                name.withPathPointer {
                    csystem_open_beneath(descriptor, $0, Self.pathOnlyFlag | O_NOFOLLOW | O_CLOEXEC, 0)
                }
            }
            if opened >= 0 {
                defer { close(opened) }
                return try FileStatus(of: opened, path: path(of: name))
            }
            if SystemFailure.provesAbsence(errno) { return nil }
        }
        #endif
        let result = withParent(of: name) { folder, last in
            retryingAfterSignal { fstatat(folder, last, &status, AT_SYMLINK_NOFOLLOW) }
        }
        if result == 0 { return FileStatus(status) }
        if SystemFailure.provesAbsence(errno) { return nil }
        throw SystemFailure(errno: errno, "access \(path(of: name))")
    }

    /// Returns whether `name` still refers to `file`.
    public func has(_ file: File, as name: String) throws(SystemFailure) -> Bool {
        try status(of: name)?.identity == file.identity
    }

    /// Renames a file atomically, replacing any file of the new name.
    ///
    /// - Parameter target: the folder of the new name; nil for this folder.
    public func rename(_ name: String, to other: String, in target: Folder? = nil) throws {
        let target = target ?? self
        let result = withParent(of: name) { from, last in
            target.withParent(of: other) { to, otherLast in renameat(from, last, to, otherLast) }
        }
        if result != 0 { throw SystemFailure(errno: errno, "create \(target.path(of: other))", purpose: .makeOutput) }
    }

    /// Waits until the names in this folder are on the disk, if the file system supports it.
    public func synchronize() throws {
        if File.synchronize(folder: descriptor) != 0 {
            throw SystemFailure(errno: errno, "sync the folder \(path) to disk")
        }
    }

    /// Removes a file, or a link but not its target. Returns false with `errno` set on failure.
    @discardableResult
    public func remove(_ name: String) -> Bool { withParent(of: name) { unlinkat($0, $1, 0) } == 0 }

    // MARK: Folders

    /// Opens a subfolder. Throws `UnsafePath` if it is a link.
    public func folder(_ name: String) throws -> Folder {
        let opened = descriptor(of: name, O_RDONLY | O_DIRECTORY)
        let path = path(of: name)
        guard opened >= 0 else {
            if errno == ELOOP { throw UnsafePath.link(path) }
            throw SystemFailure(errno: errno, "open \(path)")
        }
        return try Folder(descriptor: opened, path: path, usesOpenat2: usesOpenat2, fault: fault)
    }

    /// Creates a folder and the folders above it; keeps an existing folder. Throws `UnsafePath` if a component of
    /// `name` is a link.
    ///
    /// - Parameter mode: the mode of each new folder, before the umask.
    public func makeFolder(_ name: String, mode: mode_t = 0o700) throws {
        if withParent(of: name, { mkdirat($0, $1, mode) }) == 0 { return }
        if errno == ENOENT, let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) {
            try makeFolder(String(name[..<slash]), mode: mode)
            if withParent(of: name, { mkdirat($0, $1, mode) }) == 0 { return }
        }
        let failure = SystemFailure(errno: errno, "create the folder \(path(of: name))", purpose: .makeOutput)
        guard failure.errno == EEXIST || failure.errno == ELOOP else { throw failure }
        switch try status(of: name)?.kind {
        case .folder: return
        case .link: throw UnsafePath.link(path(of: name))
        // Another process removed the folder, or a folder above it is a link.
        case nil: throw failure.errno == ELOOP ? UnsafePath.link(path(of: name)) : failure
        default: throw SystemFailure(errno: ENOTDIR, failure.action, purpose: .makeOutput)
        }
    }

    /// Removes a folder; returns false if it is not empty, or cannot be removed.
    @discardableResult
    public func removeFolder(_ name: String) -> Bool { withParent(of: name) { unlinkat($0, $1, AT_REMOVEDIR) } == 0 }

    /// Removes a folder and the files in it. Keeps the folder if it contains folders.
    public func removeFolderWithFiles(_ name: String) {
        for file in (try? names(in: name)) ?? [] { remove("\(name)/\(file)") }
        removeFolder(name)
    }

    /// Returns the names in a subfolder, by default in this folder, in no particular order; an empty array if the
    /// folder is missing. Throws if it cannot be read to its end, or to `limit` names.
    public func names(in name: String = ".", atMost limit: Int = .max) throws(SystemFailure) -> [String] {
        let opened = descriptor(of: name, O_RDONLY | O_DIRECTORY)
        let path = name == "." ? path : path(of: name)
        guard opened >= 0 else {
            if SystemFailure.provesAbsence(errno) { return [] }
            throw SystemFailure(errno: errno, "list \(path)")
        }
        guard let stream = fdopendir(opened) else {
            let failure = SystemFailure(errno: errno, "list \(path)")
            close(opened)
            throw failure
        }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit {
            // Only errno distinguishes the end of a folder from a failure (readdir(3)).
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = String(nameIn: entry)
            if name != "." && name != ".." { names.append(name) }
        }
        // Some file systems report ENOENT for a folder that was removed after it was opened.
        if names.count < limit, errno != 0, errno != ENOENT { throw SystemFailure(errno: errno, "list \(path)") }
        return names
    }

    // MARK: Names

    /// Calls `body` with the open folder that contains `name`, and the last component of `name`. Returns -1 with
    /// `errno` set if that folder cannot be opened.
    func withParent(of name: String, _ body: (Int32, UnsafePointer<CChar>) -> Int32) -> Int32 {
        guard let (folder, last) = Self.parts(of: name) else { return Self.refusal(EXDEV) }
        if let errno = fault?(name) { return Self.refusal(errno) }
        guard let folder else { return name.withPathPointer { body(descriptor, $0) } }
        let parent = descriptor(of: String(folder), O_RDONLY | O_DIRECTORY)
        guard parent >= 0 else { return -1 }
        defer { Self.closeKeepingErrno(parent) }
        return String(last).withPathPointer { body(parent, $0) }
    }

    /// Opens a file or folder; returns -1 with `errno` set on failure: ELOOP for a link.
    private func descriptor(of name: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
        let flags = flags | O_CLOEXEC | O_NOFOLLOW
        let mode = flags & O_CREAT != 0 ? mode : 0
        if let errno = fault?(name) { return Self.refusal(errno) }
        guard usesOpenat2 else { return walk(name, flags, mode) }
        let opened = retryingAfterSignal {
            name.withPathPointer { csystem_open_beneath(descriptor, $0, flags, UInt32(mode)) }
        }
        if opened >= 0 { return opened }
        switch errno {
        // EAGAIN: another process is renaming folders (openat2(2)).
        case EAGAIN, ENOSYS, EPERM: return walk(name, flags, mode)
        // The kernel reports a link in place of a folder as ENOTDIR.
        case ENOTDIR: return Self.refusal((try? status(of: name))?.kind == .link ? ELOOP : ENOTDIR)
        default: return -1
        }
    }

    private func walk(_ name: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
        guard name == "." || parts.allSatisfy(Self.isPlain) else { return Self.refusal(EXDEV) }
        var current = descriptor
        defer { if current != descriptor { Self.closeKeepingErrno(current) } }
        for part in parts.dropLast() {
            let next = Self.openPart(current, String(part), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
            if next < 0 { return -1 }
            if current != descriptor { close(current) }
            current = next
        }
        return Self.openPart(current, String(parts[parts.count - 1]), flags, mode)
    }

    private static func openPart(_ folder: Int32, _ name: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        let opened = retryingAfterSignal { name.withPathPointer { openat(folder, $0, flags, mode) } }
        // Reports a link in place of a folder as ELOOP, like `descriptor(of:)`.
        if opened < 0, errno == ENOTDIR {
            var status = stat()
            let isLink =
                name.withPathPointer { fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW) } == 0
                && status.st_mode & S_IFMT == S_IFLNK
            errno = isLink ? ELOOP : ENOTDIR
        }
        return opened
    }

    /// Splits a name into its folder (nil for `self`) and its last component. Returns nil if the last component is
    /// empty, `.` or `..`.
    private static func parts(of name: String) -> (folder: Substring?, last: Substring)? {
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            return isPlain(name[...]) ? (nil, name[...]) : nil
        }
        let last = name[name.utf8.index(after: slash)...]
        return isPlain(last) ? (name[..<slash], last) : nil
    }

    private static func isPlain(_ part: Substring) -> Bool { !part.isEmpty && part != "." && part != ".." }

    private static func refusal(_ number: Int32) -> Int32 {
        errno = number
        return -1
    }

    private static func closeKeepingErrno(_ descriptor: Int32) {
        let failure = errno
        close(descriptor)
        errno = failure
    }
}

/// Repeats `body` while a signal interrupts it, at most 1000 times, in case a file system always reports EINTR.
private func retryingAfterSignal(_ body: () -> Int32) -> Int32 {
    var result = body()
    var calls = 1
    while result < 0, errno == EINTR, calls < 1000 {
        result = body()
        calls += 1
    }
    return result
}
