import CSystem
import Libc

/// An open file, closed with the last reference. Methods retry after a signal (EINTR) and throw `SystemFailure`.
///
/// `File.open` opens paths from the user and follows symbolic links. `Folder.open` follows no links.
public final class File: ByteSource, ByteSink, Sendable {
    public let descriptor: Int32
    public let path: String
    /// The metadata at the time of opening.
    public let status: FileStatus
    private let closes: Bool

    /// Device and inode, which identify the file under any name.
    public struct Identity: Sendable, Hashable {
        public let device: UInt64
        public let inode: UInt64
    }

    /// Throws `SystemFailure` if `descriptor` is not open.
    ///
    /// - Parameter closes: whether to close the descriptor with the last reference; false for standard streams.
    public init(descriptor: Int32, path: String, closes: Bool = true) throws {
        do {
            status = try FileStatus(of: descriptor, path: path)
        } catch {
            if closes { close(descriptor) }
            throw error
        }
        self.descriptor = descriptor
        self.path = path
        self.closes = closes
    }

    deinit {
        if closes { close(descriptor) }
    }

    /// The size in bytes at the time of opening; 0 for a pipe.
    public var count: Int { status.bytes }

    /// Whether this is a regular file rather than a pipe or a device.
    public var isRegular: Bool { status.kind == .file }

    public var identity: Identity { status.identity }

    /// Opens an input that the user named. Throws `SystemFailure` (status 66), also for a folder.
    ///
    /// - Parameter flags: added to `O_RDONLY`.
    public static func openInput(_ path: String, flags: Int32 = 0) throws -> File {
        let file = try open(path, O_RDONLY | flags, purpose: .openInput)
        guard file.status.kind != .folder else {
            throw SystemFailure(errno: EISDIR, "read \(path)", purpose: .openInput)
        }
        return file
    }

    /// Returns whether there is a file or folder at `path`, with links followed.
    public static func exists(_ path: String) throws(SystemFailure) -> Bool { try FileStatus(at: path) != nil }

    /// - Parameter flags: `O_CLOEXEC` is added.
    public static func open(
        _ path: String, _ flags: Int32, mode: mode_t = 0o600, purpose: SystemFailure.Purpose = .io
    ) throws -> File {
        while true {
            let descriptor = systemOpen(path, flags | O_CLOEXEC, mode)
            if descriptor >= 0 { return try File(descriptor: descriptor, path: path) }
            let code = errno
            if code == EINTR { continue }
            throw SystemFailure(
                errno: code, "open \(path)", purpose: purpose,
                isConfined: Confinement.refused(path, flags: flags, errno: code))
        }
    }

    /// Returns whether `path` still names this file.
    public func isStillNamed() throws(SystemFailure) -> Bool { try FileStatus(at: path)?.identity == identity }

    /// Applies an operation of flock(2). Returns false if the operation has `LOCK_NB` and another file holds the lock.
    public func lock(_ operation: Int32) throws(SystemFailure) -> Bool {
        while flock(descriptor, operation) != 0 {
            if errno == EWOULDBLOCK { return false }
            if errno != EINTR { throw SystemFailure(errno: errno, "lock \(path)") }
        }
        return true
    }

    /// Opens a file, creating it if necessary, and waits for a lock of flock(2). Returns nil if other processes replace
    /// the file repeatedly.
    public static func openLocked(_ path: String, _ operation: Int32) throws -> File? {
        for _ in 0..<16 {
            let file = try open(path, O_RDWR | O_CREAT | O_NOFOLLOW, purpose: .makeOutput)
            if try file.lock(operation), try file.isStillNamed() { return file }
        }
        return nil
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        var filled = 0
        while filled < buffer.count {
            let got = pread(descriptor, buffer.baseAddress! + filled, buffer.count - filled, off_t(offset + filled))
            if got == 0 { break }
            if got < 0 {
                if errno == EINTR { continue }
                throw SystemFailure(errno: errno, "read \(path)")
            }
            filled += got
        }
        return filled
    }

    /// Reads the next bytes into `buffer`. Returns their number; 0 at the end.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let got = systemRead(descriptor, buffer.baseAddress, buffer.count)
            if got >= 0 { return got }
            if !mayGoOn(POLLIN) { throw SystemFailure(errno: errno, "read \(path)") }
        }
    }

    /// Reads from the current position to the end, at most `limit` bytes. Works for pipes, whose size is unknown.
    public func contents(atMost limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(limit, 64 << 10))
        while bytes.count < limit {
            let count = try piece.withUnsafeMutableBytes { try read(into: $0) }
            if count == 0 { break }
            bytes += piece[..<min(count, limit - bytes.count)]
        }
        return bytes
    }

    /// Writes all of `bytes` at the current position.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(SystemFailure) {
        var done = 0
        while done < bytes.count {
            let count = systemWrite(descriptor, bytes.baseAddress! + done, bytes.count - done)
            if count >= 0 {
                done += count
            } else if !mayGoOn(POLLOUT) {
                throw SystemFailure(errno: errno, "write \(path)")
            }
        }
    }

    public func write(_ bytes: RawSpan) throws(SystemFailure) {
        try bytes.withUnsafeBytes { bytes throws(SystemFailure) in try write(bytes) }
    }

    public func write(_ bytes: [UInt8]) throws(SystemFailure) { try write(bytes.span.bytes) }

    /// Cuts or extends the file to `count` bytes, and moves the position there.
    public func truncate(to count: Int) throws(SystemFailure) {
        while ftruncate(descriptor, off_t(count)) != 0 {
            if errno != EINTR { throw SystemFailure(errno: errno, "truncate \(path)") }
        }
        if lseek(descriptor, off_t(count), SEEK_SET) < 0 { throw SystemFailure(errno: errno, "write \(path)") }
    }

    /// Returns whether to repeat a failed call. After a signal (EINTR), returns true immediately. If another process
    /// has made the stream non-blocking (EAGAIN), first waits until the stream is ready.
    private func mayGoOn(_ events: Int32) -> Bool {
        if errno == EINTR { return true }
        guard errno == EAGAIN else { return false }
        var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while poll(&watched, 1, -1) < 0 && errno == EINTR {}
        return true
    }

    /// Sets an extended attribute, such as `user.example`, which renaming preserves. Returns false if the file system
    /// does not support attributes or is full.
    public func setAttribute(_ name: String, _ text: String) -> Bool {
        var text = text
        return text.withUTF8 { csystem_set_attribute(descriptor, name, $0.baseAddress, $0.count) }
    }

    /// Returns an extended attribute, or nil if it is missing or longer than 4096 bytes.
    public func attribute(_ name: String) -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, csystem_get_attribute(descriptor, name, buffer.baseAddress, buffer.count))
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Waits until the content, and the metadata needed to read it, are on the disk.
    public func synchronize() throws {
        while fdatasync(descriptor) != 0 {
            if errno != EINTR { throw SystemFailure(errno: errno, "sync \(path) to disk") }
        }
    }

    /// Waits until the names in the folder of `path` are on the disk, if the file system supports it.
    static func synchronizeFolder(of path: String) throws {
        let folder = try open(path.folderPrefix.isEmpty ? "." : path.folderPrefix, O_RDONLY | O_DIRECTORY)
        if synchronize(folder: folder.descriptor) != 0 {
            throw SystemFailure(errno: errno, "sync the folder of \(path) to disk")
        }
    }

    /// Waits until the names in an open folder are on the disk, if the file system supports it. Returns 0, or -1 with
    /// `errno` set.
    static func synchronize(folder descriptor: Int32) -> Int32 {
        while fsync(descriptor) != 0 {
            if [EINVAL, ENOTSUP].contains(errno) { return 0 }
            if errno != EINTR { return -1 }
        }
        return 0
    }
}

#if canImport(Darwin)
private func fdatasync(_ descriptor: Int32) -> Int32 { fsync(descriptor) }
#endif

// The methods `open`, `read` and `write` hide the C functions of the same names.
func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    path.withPathPointer { open($0, flags, mode) }
}
private func systemRead(_ descriptor: Int32, _ base: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, base, count)
}
func systemWrite(_ descriptor: Int32, _ base: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, base, count)
}
