/// Checks the partitions of a VP8 key frame, whose number and lengths are in the header (RFC 6386 §9.5). Like libwebp,
/// requires that the first partition is complete and that the last partition begins within the data.
enum VP8Partitions {
    /// A sufficient length of `head` for `fit`: the number of partitions is preceded by 10 bytes and fewer than 200
    /// bits.
    static let headerBytes = 64

    /// Returns whether data of `count` bytes that begins with `head` is long enough for all partitions.
    static func fit(_ head: ArraySlice<UInt8>, count: Int, _ byte: (_ offset: Int) throws -> UInt8?) rethrows -> Bool {
        let start = 10
        let tag = ByteOrder.littleEndian.number(head.prefix(3))
        let end = start + tag >> 5
        guard end <= count else { return false }
        var bits = BoolDecoder(head.dropFirst(start).prefix(end - start))
        let others = partitionCount(&bits) - 1
        var offset = end + 3 * others
        guard offset <= count else { return false }
        for index in 0..<others {
            for (place, shift) in zip((end + 3 * index)..., [0, 8, 16]) {
                offset += Int(try byte(place) ?? 0) << shift
            }
        }
        return offset < count
    }

    /// Reads the number of partitions, and skips the fields before it (§9.2 to §9.5, §19.2).
    private static func partitionCount(_ bits: inout BoolDecoder) -> Int {
        func skip(_ count: Int, width: Int) {
            for _ in 0..<count where bits.next() { _ = bits.number(width) }
        }
        // Colour space and clamping type.
        _ = bits.number(2)
        if bits.next() {
            let (hasMap, hasValues) = (bits.next(), bits.next())
            if hasValues {
                _ = bits.next()
                skip(4, width: 8)
                skip(4, width: 7)
            }
            if hasMap { skip(3, width: 8) }
        }
        // The loop filter.
        _ = bits.number(10)
        if bits.next(), bits.next() { skip(8, width: 7) }
        return 1 << bits.number(2)
    }
}

/// Decodes bits that are coded with a probability of 1/2 (RFC 6386 §7). Reads zeros after the end.
private struct BoolDecoder {
    private var bytes: ArraySlice<UInt8>
    private var value = 0
    private var range = 255
    private var shifts = 0

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        for _ in 0..<2 { value = value << 8 | Int(self.bytes.popFirst() ?? 0) }
    }

    mutating func next() -> Bool {
        let split = 1 + (range - 1) >> 1
        let isSet = value >= split << 8
        if isSet {
            range -= split
            value -= split << 8
        } else {
            range = split
        }
        while range < 128 {
            value <<= 1
            range <<= 1
            shifts += 1
            if shifts == 8 {
                shifts = 0
                value |= Int(bytes.popFirst() ?? 0)
            }
        }
        return isSet
    }

    mutating func number(_ width: Int) -> Int { (0..<width).reduce(0) { value, _ in value << 1 | (next() ? 1 : 0) } }
}
