/// A Deflate encoder (RFC 1951) for tests: stored blocks, or a single block with matches and the fixed Huffman code.
public enum Deflate {
    public enum Method: Sendable {
        /// Uncompressed blocks of at most 65,535 bytes: fast, but large.
        case stored
        /// The fixed Huffman code, with the nearest earlier match of at least three bytes.
        case fixed
    }

    /// Returns a zlib stream (RFC 1950).
    public static func zlib(_ bytes: [UInt8], _ method: Method = .fixed) -> [UInt8] {
        [0x78, 0x01] + raw(bytes, method) + bigEndian(adler32(bytes))
    }

    /// Returns a gzip file (RFC 1952).
    public static func gzip(_ bytes: [UInt8], _ method: Method = .fixed) -> [UInt8] {
        let trailer = bigEndian(crc32(bytes)).reversed() + bigEndian(UInt32(truncatingIfNeeded: bytes.count)).reversed()
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255] + raw(bytes, method) + trailer
    }

    /// Returns a raw Deflate stream, without header and checksum.
    public static func raw(_ bytes: [UInt8], _ method: Method) -> [UInt8] {
        switch method {
        case .stored: stored(bytes)
        case .fixed: fixed(bytes)
        }
    }

    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + bytes.count / 65535 * 5 + 5)
        var start = 0
        repeat {
            let end = min(start + 65535, bytes.count)
            let length = UInt16(end - start)
            result.append(end == bytes.count ? 1 : 0)
            for value in [length, ~length] { result += [UInt8(value & 0xFF), UInt8(value >> 8)] }
            result += bytes[start..<end]
            start = end
        } while start < bytes.count
        return result
    }

    private static func fixed(_ bytes: [UInt8]) -> [UInt8] {
        var output = BitWriter()
        output.add(0b011, 3)  // last block, fixed code
        // The last position of each hash of three bytes. A single candidate is enough for test data.
        var seen = [Int32](repeating: -1, count: 1 << 15)
        bytes.withUnsafeBufferPointer { bytes in
            var position = 0
            while position < bytes.count {
                var length = 0
                var distance = 0
                if position + 3 <= bytes.count {
                    let word =
                        UInt32(bytes[position]) << 16 | UInt32(bytes[position + 1]) << 8 | UInt32(bytes[position + 2])
                    let slot = Int((word &* 0x9E37_79B1) >> 17)
                    let candidate = Int(seen[slot])
                    seen[slot] = Int32(position)
                    if candidate >= 0, position - candidate <= 32768 {
                        distance = position - candidate
                        let limit = min(258, bytes.count - position)
                        while length < limit, bytes[candidate + length] == bytes[position + length] { length += 1 }
                    }
                }
                if length >= 3 {
                    output.addLength(length)
                    output.addDistance(distance)
                    position += length
                } else {
                    output.addSymbol(Int(bytes[position]))
                    position += 1
                }
            }
        }
        output.addSymbol(256)
        return output.finished()
    }

    /// Adler-32 (RFC 1950 §8.2).
    public static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var a: UInt32 = 1
        var b: UInt32 = 0
        bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            while start < bytes.count {
                // 5,552 is the largest number of bytes whose sums fit into 32 bits.
                let end = min(start + 5552, bytes.count)
                for index in start..<end {
                    a &+= UInt32(bytes[index])
                    b &+= a
                }
                a %= 65521
                b %= 65521
                start = end
            }
        }
        return b << 16 | a
    }

    /// CRC-32 as in PNG and gzip (ISO 3309).
    public static func crc32(_ bytes: [UInt8]) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            bytes.withUnsafeBufferPointer { bytes in
                var value: UInt32 = 0xFFFF_FFFF
                for byte in bytes { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8) }
                return ~value
            }
        }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
    }
}

/// Writes the bits of a Deflate stream, from the lowest bit of each byte.
private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt64 = 0
    private var count = 0

    mutating func add(_ bits: Int, _ width: Int) {
        pending |= UInt64(bits) << UInt64(count)
        count += width
        while count >= 8 {
            bytes.append(UInt8(pending & 0xFF))
            pending >>= 8
            count -= 8
        }
    }

    /// Adds a symbol of the fixed literal and length code (RFC 1951 §3.2.6), with the highest bit first.
    mutating func addSymbol(_ symbol: Int) {
        switch symbol {
        case ..<144: addReversed(0x30 + symbol, 8)
        case ..<256: addReversed(0x190 + symbol - 144, 9)
        case ..<280: addReversed(symbol - 256, 7)
        default: addReversed(0xC0 + symbol - 280, 8)
        }
    }

    mutating func addLength(_ length: Int) {
        let bases = [
            3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163,
            195, 227, 258,
        ]
        let index = bases.lastIndex { $0 <= length } ?? 0
        addSymbol(257 + index)
        let extra = index < 8 || index == 28 ? 0 : (index - 4) / 4
        add(length - bases[index], extra)
    }

    mutating func addDistance(_ distance: Int) {
        var code = 0
        var base = 1
        var extra = 0
        // Code n covers 2^extra distances; extra = n/2 - 1 for n >= 4.
        while true {
            extra = code < 4 ? 0 : code / 2 - 1
            if distance < base + 1 << extra { break }
            base += 1 << extra
            code += 1
        }
        addReversed(code, 5)
        add(distance - base, extra)
    }

    private mutating func addReversed(_ code: Int, _ width: Int) {
        var reversed = 0
        for bit in 0..<width where code >> bit & 1 == 1 { reversed |= 1 << (width - 1 - bit) }
        add(reversed, width)
    }

    mutating func finished() -> [UInt8] {
        if count > 0 { bytes.append(UInt8(pending & 0xFF)) }
        return bytes
    }
}
