import Libc
import Support

/// Takes bytes one after the other.
public protocol ByteSink {
    func write(_ bytes: UnsafeRawBufferPointer) throws
}

extension ByteSink {
    public func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }
}

extension File: ByteSink {}

/// A file that is written from its beginning to its end, and that never takes more memory than there may be.
public final class BoundedFile: ByteSink {
    public let file: File
    /// How many bytes it has.
    public private(set) var count: Int
    private let use: MemoryUse?

    /// - Parameters:
    ///   - count: how many bytes are there, behind which its position is.
    ///   - use: nil for a file on the disk.
    init(_ file: File, count: Int = 0, use: MemoryUse?) {
        self.file = file
        self.count = count
        self.use = use
    }

    /// Writes all of `bytes`. Throws `SystemFailure`, `CacheFailure.memoryFull`.
    public func write(_ bytes: UnsafeRawBufferPointer) throws {
        let (end, overflow) = count.addingReportingOverflow(bytes.count)
        guard !overflow else { throw SystemFailure(errno: EFBIG, "write \(file.path)") }
        if let use {
            try use.grow(from: count, to: end) { try file.write(bytes) }
        } else {
            try file.write(bytes)
        }
        count = end
    }

    /// Makes the file empty.
    func restart() throws {
        try PartialFile.truncate(file, to: 0)
        count = 0
    }
}
