import Support

/// The body of a request, read in pieces while it is sent, and again for each retry.
public struct RequestBody: Sendable {
    public let count: Int
    /// Fills the buffer with the bytes at `offset` and returns their number, 0 at the end. Throws `SystemFailure`.
    public let read: @Sendable (UnsafeMutableRawBufferPointer, _ offset: Int) throws -> Int

    public init(_ bytes: [UInt8]) {
        count = bytes.count
        read = { buffer, offset in
            let piece = bytes.dropFirst(offset).prefix(buffer.count)
            buffer.copyBytes(from: piece)
            return piece.count
        }
    }

    public init(count: Int, read: @escaping @Sendable (UnsafeMutableRawBufferPointer, _ offset: Int) throws -> Int) {
        self.count = count
        self.read = read
    }

    /// A regular file, which must not change during the request.
    public init(_ file: File) {
        count = file.count
        read = { try file.read(into: $0, at: $1) }
    }
}
