import Support

/// Reads numbers at any offset of a source through a buffer of a few KB. Functions return nil if the source ends too
/// early.
struct SourceWindow {
    /// The length that the source reports.
    let count: Int
    let source: any ByteSource
    private let stride: Int
    private var buffer: [UInt8]
    private var start = 0
    private var filled = 0

    /// The first read loads `head` bytes. Each later read loads `stride` bytes from the requested offset.
    init(_ source: any ByteSource, head: Int, stride: Int) {
        self.source = source
        self.stride = min(stride, head)
        count = max(source.count, 0)
        buffer = [UInt8](repeating: 0, count: min(head, max(count, 1)))
    }

    /// Returns a window for headers. Most headers are complete in the first 16 KB; beyond that, a parser skips from
    /// chunk to chunk and needs a few bytes of each chunk.
    static func forHeader(_ source: any ByteSource) -> SourceWindow {
        SourceWindow(source, head: 16 << 10, stride: 4 << 10)
    }

    /// Returns a window for reading the whole source in order.
    static func forWalk(_ source: any ByteSource) -> SourceWindow {
        SourceWindow(source, head: 64 << 10, stride: 64 << 10)
    }

    /// Returns false if the source has fewer than `needed` bytes at `offset`.
    private mutating func load(_ offset: Int, _ needed: Int) throws -> Bool {
        guard offset >= 0, offset < count, needed <= count - offset else { return false }
        if offset >= start, offset - start <= filled - needed { return true }
        let length = min(max(filled == 0 ? buffer.count : stride, needed), buffer.count)
        guard needed <= length else { return false }
        start = offset
        let source = source
        filled = try buffer.withUnsafeMutableBytes {
            try source.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<length]), at: offset)
        }
        return filled >= needed
    }

    mutating func byte(at offset: Int) throws -> UInt8? {
        try load(offset, 1) ? buffer[offset - start] : nil
    }

    /// Returns the `length` bytes at `offset`, which must fit into the window.
    mutating func bytes(at offset: Int, _ length: Int) throws -> ArraySlice<UInt8>? {
        try load(offset, length) ? buffer[offset - start..<offset - start + length] : nil
    }

    mutating func has(_ text: StaticString, at offset: Int) throws -> Bool {
        guard try load(offset, text.utf8CodeUnitCount) else { return false }
        for index in 0..<text.utf8CodeUnitCount where buffer[offset - start + index] != text.utf8Start[index] {
            return false
        }
        return true
    }

    /// Passes the bytes of a range to `visit` in pieces. Returns false if the source ends within the range.
    mutating func read(_ range: Range<Int>, visit: (UnsafeRawBufferPointer) -> Void) throws -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = try withBytes(from: offset) { bytes in
                let piece = bytes.prefix(range.upperBound - offset)
                visit(UnsafeRawBufferPointer(rebasing: piece))
                return piece.count
            }
            guard let count else { return false }
            offset += count
        }
        return true
    }

    /// Reads an unsigned number of at most 8 bytes. Numbers above 2^63 - 1 become 2^63 - 1.
    mutating func number(at offset: Int, _ width: Int, _ order: ByteOrder) throws -> Int? {
        try bytes(at: offset, width).map { order.number($0) }
    }

    mutating func bigEndian(at offset: Int, _ width: Int) throws -> Int? { try number(at: offset, width, .bigEndian) }

    mutating func littleEndian(at offset: Int, _ width: Int) throws -> Int? {
        try number(at: offset, width, .littleEndian)
    }

    /// Passes the loaded bytes from `offset` to `body`. Returns nil if the source has no byte at `offset`.
    mutating func withBytes<Result>(
        from offset: Int, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws -> Result? {
        guard try load(offset, 1) else { return nil }
        return buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset - start..<filled])) }
    }
}
