import Support

/// A few KB of a source, moved as needed: a parser asks for single numbers at any offset, while the source sees few
/// reads and memory stays flat.
///
/// Accessors return nil if the source ends too early. Holds the source as an existential, which is called once per
/// window, while the inner loops of parsers stay concrete.
struct SourceWindow {
    /// The length that the source promised.
    let count: Int
    let source: any ByteSource
    private let stride: Int
    private var buffer: [UInt8]
    private var start = 0
    private var filled = 0

    /// The first read fetches `head` bytes, each later one `stride` bytes from where they are needed.
    init(_ source: any ByteSource, head: Int, stride: Int) {
        self.source = source
        self.stride = min(stride, head)
        count = max(source.count, 0)
        buffer = [UInt8](repeating: 0, count: min(head, max(count, 1)))
    }

    /// For headers: most pictures describe themselves in their first 16 KB; beyond them, a parser skips from chunk to
    /// chunk and needs a few bytes of each.
    static func forHeader(_ source: any ByteSource) -> SourceWindow {
        SourceWindow(source, head: 16 << 10, stride: 4 << 10)
    }

    /// For a walk through all bytes.
    static func forWalk(_ source: any ByteSource) -> SourceWindow {
        SourceWindow(source, head: 64 << 10, stride: 64 << 10)
    }

    /// Loads `needed` bytes at `offset`; false if the source has fewer.
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

    /// The `length` bytes at `offset`, for names and signatures: far fewer than the window has.
    mutating func bytes(at offset: Int, _ length: Int) throws -> ArraySlice<UInt8>? {
        try load(offset, length) ? buffer[offset - start..<offset - start + length] : nil
    }

    /// Whether the bytes at `offset` are `text`.
    mutating func has(_ text: StaticString, at offset: Int) throws -> Bool {
        guard try load(offset, text.utf8CodeUnitCount) else { return false }
        for index in 0..<text.utf8CodeUnitCount where buffer[offset - start + index] != text.utf8Start[index] {
            return false
        }
        return true
    }

    /// Passes the bytes of a range to `visit` in pieces of a window. Returns false if the source ends within the range.
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

    /// An unsigned number of `width` bytes (at most 4), most significant byte first.
    mutating func bigEndian(at offset: Int, _ width: Int) throws -> Int? {
        try bytes(at: offset, width).map { ByteOrder.bigEndian.number($0) }
    }

    /// An unsigned number of `width` bytes (at most 4), least significant byte first.
    mutating func littleEndian(at offset: Int, _ width: Int) throws -> Int? {
        try bytes(at: offset, width).map { ByteOrder.littleEndian.number($0) }
    }

    /// Passes the bytes of the window from `offset` to `body`; nil if the source ends before them.
    mutating func withBytes<Result>(
        from offset: Int, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws -> Result? {
        guard try load(offset, 1) else { return nil }
        return buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset - start..<filled])) }
    }
}
