import Libc

/// The bytes of an input file of any kind.
///
/// A regular file is read in place. A stream (a pipe such as bash's `<(…)`, a FIFO, `/dev/stdin`, a device) and a
/// deleted file are read to the end when opened.
public struct InputFile: ByteSource {
    /// The path as the user wrote it.
    public let path: String
    /// The digest of a stream or of a deleted file, whose path does not identify its content; nil for other files.
    public let sha256OfStream: String?
    private let source: any ByteSource

    /// Uses an open regular file.
    public init(_ file: File) {
        (path, source, sha256OfStream) = (file.path, file, nil)
    }

    /// Opens the file, and reads a stream or a deleted file to its end. Waits for the writer of a FIFO. Throws
    /// `SystemFailure` (status 66, also for a folder), `InputTooLarge` or `Cancelled`.
    ///
    /// - Parameter byteLimit: the maximum length of a stream or a deleted file.
    public init(_ path: String, byteLimit: Int, interruption: Interruption) throws {
        // Without O_NONBLOCK, opening a FIFO waits for its writer and cannot be stopped.
        let kind = (try? FileStatus(at: path))?.kind
        let file = try File.openInput(path, flags: kind == .fifo || kind == nil ? O_NONBLOCK : 0)
        self.path = path
        if file.isRegular, file.status.links > 0 {
            (source, sha256OfStream) = (file, nil)
            return
        }
        let bytes = try Self.bytes(of: file, atMost: byteLimit, interruption)
        (source, sha256OfStream) = (MemorySource(bytes), SHA256.hex(of: bytes))
    }

    public var count: Int { source.count }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        try source.read(into: buffer, at: offset)
    }

    private static func bytes(of file: File, atMost limit: Int, _ interruption: Interruption) throws -> [UInt8] {
        // If the run is stopped, the handler writes to a pipe to wake this thread. The handler may run shortly after
        // this function returns, so it keeps the writing end open.
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemFailure(errno: errno, "create a pipe") }
        let (woken, waking) = (try File(descriptor: ends[0], path: "pipe"), try File(descriptor: ends[1], path: "pipe"))
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        try interruption.during(onCancel: { try? waking.write([0]) }) {
            while true {
                var watched = [
                    pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: woken.descriptor, events: Int16(POLLIN), revents: 0),
                ]
                while poll(&watched, 2, -1) < 0 && errno == EINTR {}
                try interruption.check()
                let count = try piece.withUnsafeMutableBytes { try file.read(into: $0) }
                if count == 0 { return }
                guard count <= limit - bytes.count else { throw InputTooLarge(path: file.path, byteLimit: limit) }
                bytes += piece[..<count]
            }
        }
        return bytes
    }
}

/// An input exceeds its byte limit: status 77.
public struct InputTooLarge: Failure, Equatable {
    public let path: String
    public let byteLimit: Int

    public var code: String { "too-many-bytes" }
    public var message: String { "\(path) exceeds the limit of \(byteLimit) bytes" }
    public var exitCode: ExitCode { .notAllowed }
}
