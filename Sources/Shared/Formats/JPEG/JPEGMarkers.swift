import Libc

/// Finds the segments and the end marker of a JPEG whose bytes arrive in pieces (ITU T.81 annex B).
///
/// Skips all bytes that do not follow 0xFF, and also stuffed zeros, fill bytes, restart markers and TEM (B.1.1.2 to
/// B.1.1.5, table B.1). So it skips entropy-coded data, and stray bytes between segments, which libjpeg skips too.
/// Linear; uses `memchr`.
public struct JPEGMarkers {
    public struct Segment {
        public let code: UInt8
        /// The offset of the marker, or of the first fill byte before it.
        public let start: Int
        /// The range of the bytes after the length, which may extend beyond the end of the file. Empty for SOI, EOI and
        /// the reserved codes 02 to BF, which have no length.
        public let body: Range<Int>
    }

    /// SOI, and the first byte of the next marker.
    static let signature: [UInt8] = [0xFF, 0xD8, 0xFF]
    public static let startOfScan: UInt8 = 0xDA
    static let startOfImage: UInt8 = 0xD8
    public static let endOfImage: UInt8 = 0xD9

    /// The offset of the next bytes to read, after the last segment.
    public private(set) var offset: Int
    /// A marker that has arrived only in part.
    private var begun: (start: Int, code: UInt8?, length: UInt8?)?

    /// `offset` must not be within a segment.
    public init(at offset: Int = 0) { self.offset = offset }

    /// Reads bytes that begin at `offset`. Returns the first segment in them, or nil.
    public mutating func next(_ bytes: UnsafeRawBufferPointer) -> Segment? {
        let first = offset
        var index = 0
        while index < bytes.count {
            guard let marker = begun else {
                guard let mark = Self.nextMark(bytes, from: index) else { break }
                begun = (first + mark, nil, nil)
                index = mark + 1
                continue
            }
            let byte = bytes[index]
            index += 1
            guard let code = marker.code else {
                switch byte {
                case 0xFF: break
                case Self.startOfImage, Self.endOfImage, 0x02...0xBF:
                    begun = nil
                    offset = first + index
                    return Segment(code: byte, start: marker.start, body: offset..<offset)
                case 0xC0...0xCF, Self.startOfScan...0xFE: begun?.code = byte
                default: begun = nil
                }
                continue
            }
            guard let high = marker.length else {
                begun?.length = byte
                continue
            }
            begun = nil
            // A length below 2 is invalid and treated as 2, as in libjpeg, so the search continues with the next byte.
            let body = first + index..<first + index + max(Int(high) << 8 | Int(byte), 2) - 2
            offset = body.upperBound
            return Segment(code: code, start: marker.start, body: body)
        }
        offset = first + bytes.count
        return nil
    }

    /// Returns the index of the next 0xFF without a stuffed zero after it.
    private static func nextMark(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var index = start
        while index < bytes.count, let hit = memchr(base + index, 0xFF, bytes.count - index) {
            index = UnsafeRawPointer(hit) - base
            guard index + 1 < bytes.count, bytes[index + 1] == 0 else { return index }
            index += 2
        }
        return nil
    }
}
