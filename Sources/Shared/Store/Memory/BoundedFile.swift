import Libc
import Support

/// A file that is written sequentially. A file in memory grows only within the memory limit.
public final class BoundedFile: ByteSink {
    public let file: File
    public private(set) var count: Int
    private let use: MemoryUse?

    /// - Parameters:
    ///   - count: the number of existing bytes; the file's offset is after them.
    ///   - use: the memory limit; nil for a file on the disk.
    package init(_ file: File, count: Int = 0, use: MemoryUse?) {
        self.file = file
        self.count = count
        self.use = use
    }

    /// Writes all of `bytes`. Throws `SystemFailure`, `CacheFailure.memoryFull`.
    public func write(_ bytes: RawSpan) throws {
        let (end, overflow) = count.addingReportingOverflow(bytes.byteCount)
        guard !overflow else { throw SystemFailure(errno: EFBIG, "write \(file.path)") }
        if let use {
            try use.grow(from: count, to: end) { try file.write(bytes) }
        } else {
            try file.write(bytes)
        }
        count = end
    }
}
