/// Bytes of known length that can be read at any offset: a file or memory.
public protocol ByteSource: Sendable {
    var count: Int { get }
    /// Reads the bytes from `offset` into `buffer`. Returns their number: less than `buffer.count` only at the end of
    /// the source, 0 beyond the end. Throws `SystemFailure`.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int
}

extension ByteSource {
    /// Returns the bytes in `range`, clamped to the source. Throws `SystemFailure`.
    public func bytes(_ range: Range<Int>) throws -> [UInt8] {
        let range = range.clamped(to: 0..<max(count, 0))
        return try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, initialized in
            initialized = try read(into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
        }
    }

    /// Calls `body` with successive pieces of up to 128 KiB, until `end` or until `body` returns false.
    public func forEachPiece(upTo end: Int = .max, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < end {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, end - offset)])
            let count = try read(into: room, at: offset)
            guard count > 0, try body(UnsafeRawBufferPointer(rebasing: room[..<count])) else { return }
            offset += count
        }
    }

    /// Writes all bytes to `sink`. Calls `check` before each piece and rethrows its error.
    public func copy(to sink: some ByteSink, check: () throws -> Void = {}) throws {
        try forEachPiece { piece in
            try check()
            try sink.write(piece)
            return true
        }
    }
}

/// Bytes in memory.
public struct MemorySource: ByteSource {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public var count: Int { bytes.count }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        guard offset >= 0, offset < bytes.count else { return 0 }
        let size = min(buffer.count, bytes.count - offset)
        bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + size])) }
        return size
    }
}
