import Support

/// Bytes in memory that a test replaces, as another process can overwrite an open file. `count` does not change.
final class ReplacedSource: ByteSource {
    let count: Int
    private let bytes: Monitor<[UInt8]>

    init(_ bytes: [UInt8]) {
        count = bytes.count
        self.bytes = Monitor(bytes)
    }

    func replace(by bytes: [UInt8]) { self.bytes.withLock { $0 = bytes } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        bytes.withLock { MemorySource($0).read(into: buffer, at: offset) }
    }
}
