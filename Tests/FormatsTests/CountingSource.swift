import Support

/// Bytes in memory. Counts the reads and the bytes read.
///
/// `@unchecked Sendable`: a test uses it only on the thread that created it.
final class CountingSource: ByteSource, @unchecked Sendable {
    private let bytes: MemorySource
    private(set) var reads = 0
    private(set) var bytesRead = 0

    init(_ bytes: [UInt8]) { self.bytes = MemorySource(bytes) }

    var count: Int { bytes.count }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        let got = bytes.read(into: buffer, at: offset)
        reads += 1
        bytesRead += got
        return got
    }
}

/// A source that ends before its `count`, like a file that was truncated while it was open.
struct ShrunkenSource: ByteSource {
    let bytes: MemorySource
    let count: Int

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        bytes.read(into: buffer, at: offset)
    }
}
