import CSystem
import Libc

/// An open file, closed with the last reference. Calls are repeated after a signal (EINTR) and throw `SystemFailure`.
///
/// It is opened by a path of the user, with links followed, or by `Folder.open`, which follows none.
public final class File: ByteSource, ByteSink, Sendable {
    public let descriptor: Int32
    public let path: String
    /// Its metadata when it was opened.
    public let status: FileStatus
    private let closes: Bool

    /// Device and inode, which identify the file under any name.
    public struct Identity: Sendable, Hashable {
        public let device: UInt64
        public let inode: UInt64
    }

    /// Owns `descriptor`, and closes it unless `closes` is false, as for standard input. Throws `SystemFailure` if it
    /// is not open.
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

    /// The size when the file was opened; 0 for a pipe.
    public var count: Int { status.bytes }

    /// Whether it is a file on a disk, which can be read at any offset, and not a pipe or a device.
    public var isRegular: Bool { status.kind == .file }

    public var identity: Identity { status.identity }

    /// Opens an input of the user. Throws `SystemFailure` (status 66), also for a folder.
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

    /// Opens `path` with `flags` and close-on-exec; `mode` is for a new file.
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

    /// Returns whether its path still leads to it, so that it was neither removed nor replaced.
    public func isStillNamed() throws(SystemFailure) -> Bool { try FileStatus(at: path)?.identity == identity }

    /// Fills the beginning of `buffer` with the bytes from `offset` on, and returns their number: fewer than requested
    /// only at the end.
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

    /// Reads the next bytes, at most `buffer.count`, and returns their number; 0 at the end.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let got = systemRead(descriptor, buffer.baseAddress, buffer.count)
            if got >= 0 { return got }
            if !mayGoOn(POLLIN) { throw SystemFailure(errno: errno, "read \(path)") }
        }
    }

    /// Returns the bytes from the file's position on, at most `limit`, also of a pipe, whose size is unknown.
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

    /// Writes all of `bytes` at the file's position.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(SystemFailure) {
        var done = 0
        while done < bytes.count {
            let count = systemWrite(descriptor, bytes.baseAddress! + done, bytes.count - done)
            if count < 0 {
                if mayGoOn(POLLOUT) { continue }
                throw SystemFailure(errno: errno, "write \(path)")
            }
            done += count
        }
    }

    public func write(_ bytes: RawSpan) throws(SystemFailure) {
        try bytes.withUnsafeBytes { bytes throws(SystemFailure) in try write(bytes) }
    }

    public func write(_ bytes: [UInt8]) throws(SystemFailure) { try write(bytes.span.bytes) }

    /// Returns whether to repeat a failed call: after a signal, or when a stream that another process has set to
    /// non-blocking mode is ready again, after waiting for it.
    private func mayGoOn(_ events: Int32) -> Bool {
        if errno == EINTR { return true }
        guard errno == EAGAIN else { return false }
        var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while poll(&watched, 1, -1) < 0 && errno == EINTR {}
        return true
    }

    /// Sets an extended attribute, such as `user.example`, which stays with the file under any name. Returns false if
    /// the file system has none, or no room for it.
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

    /// Waits until the bytes, and the metadata needed to find them, are on the disk.
    public func synchronize() throws {
        while fdatasync(descriptor) != 0 {
            if errno != EINTR { throw SystemFailure(errno: errno, "write \(path) to the disk") }
        }
    }

    /// Waits until the names in the folder of `path` are on the disk; does nothing on a file system that cannot
    /// synchronize a folder.
    static func synchronizeFolder(of path: String) throws {
        let folder = try open(path.folderPrefix.isEmpty ? "." : path.folderPrefix, O_RDONLY | O_DIRECTORY)
        if synchronize(folder: folder.descriptor) != 0 {
            throw SystemFailure(errno: errno, "write the folder of \(path) to the disk")
        }
    }

    /// Waits until the names in an open folder are on the disk, if the file system can. Returns -1 with `errno` set on
    /// failure.
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

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    path.withPathPointer { open($0, flags, mode) }
}
private func systemRead(_ descriptor: Int32, _ base: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, base, count)
}
private func systemWrite(_ descriptor: Int32, _ base: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, base, count)
}
