import Support

/// Bytes to be sent: read as they go out, and once more if an attempt is repeated. Memory does not grow with a file.
public struct RequestBody: Sendable {
    public let count: Int
    /// Fills a buffer from an offset on; returns how many bytes it gave, 0 at the end. Throws `SystemFailure`.
    public let read: @Sendable (UnsafeMutableRawBufferPointer, _ offset: Int) throws -> Int

    public init(_ bytes: [UInt8]) {
        count = bytes.count
        read = { buffer, offset in
            let piece = bytes.dropFirst(offset).prefix(buffer.count)
            buffer.copyBytes(from: piece)
            return piece.count
        }
    }

    /// Bytes that `read` gives.
    public init(
        count: Int, read: @escaping @Sendable (UnsafeMutableRawBufferPointer, _ offset: Int) throws -> Int
    ) {
        self.count = count
        self.read = read
    }

    /// The whole of a regular file, which must not change meanwhile.
    public init(_ file: File) {
        count = file.count
        read = { try file.read(into: $0, at: $1) }
    }
}
