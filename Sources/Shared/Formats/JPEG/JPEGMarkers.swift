import Libc

/// Finds the segments of a JPEG in bytes that come one piece after the other, and its end marker (ITU T.81 annex B).
///
/// Passed over as data: bytes without 0xFF before them, stuffed zeros, fill bytes, restart markers, a second SOI, TEM,
/// and the reserved codes 02 to BF (B.1.1.2 to B.1.1.5, table B.1). So this steps over stray bytes between segments as
/// libjpeg does, and over a whole scan of entropy-coded data alike. Linear; `memchr` a piece.
public struct JPEGMarkers {
    /// A marker and what its length says belongs to it.
    public struct Segment {
        public let code: UInt8
        /// Where the marker begins, or the first of the fill bytes before it.
        public let start: Int
        /// What follows the length, which may reach beyond the file's end; empty for the end marker.
        public let body: Range<Int>
    }

    /// The start of image, and the first byte of the next marker.
    static let signature: [UInt8] = [0xFF, 0xD8, 0xFF]
    public static let startOfScan: UInt8 = 0xDA
    public static let endOfImage: UInt8 = 0xD9

    /// Where the next bytes that are to be looked at lie: behind those that have been, and behind the segment that was
    /// found last.
    public private(set) var offset: Int
    /// The marker that has begun, as far as it has come.
    private var begun: (start: Int, code: UInt8?, length: UInt8?)?

    /// - Parameter offset: where to begin, outside of a segment.
    public init(at offset: Int = 0) { self.offset = offset }

    /// Where a marker begins whose length has not come yet; nil if there is none.
    public var unfinished: Int? { begun?.code == nil ? nil : begun?.start }

    /// Looks through bytes that begin at `offset`. Returns the first segment in them, behind which to go on; nil if
    /// they have all been looked at.
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
                case Self.endOfImage:
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
            // A length below 2, which cannot be, is taken for 2 as libjpeg does: the bytes behind are searched.
            let body = first + index..<first + index + max(Int(high) << 8 | Int(byte), 2) - 2
            offset = body.upperBound
            return Segment(code: code, start: marker.start, body: body)
        }
        offset = first + bytes.count
        return nil
    }

    /// The next 0xFF that is not followed by a stuffed zero there.
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
