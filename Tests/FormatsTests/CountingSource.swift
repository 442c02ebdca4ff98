import Support

/// Bytes in memory that count how often and how much is read of them. One thread only.
///
/// `@unchecked Sendable`: a test uses it on the thread that made it.
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

/// A source that promises more bytes than it then gives, as a file does that was cut while it was open.
struct ShrunkenSource: ByteSource {
    let bytes: MemorySource
    let count: Int

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        bytes.read(into: buffer, at: offset)
    }
}
