extension JSONScanner {
    /// The offset of the first byte from `start` on that is a quote, a backslash, a control character or not ASCII.
    ///
    /// Eight bytes at a time: a byte's top bit ends up set where the byte itself, its difference from 0x20, or the
    /// difference of its exclusive-or with a wanted character from 1, has it. A borrow can only set bits above the
    /// first true hit, so that the lowest one is exact.
    static func plainEnd(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
        var i = start
        let raw = UnsafeRawPointer(base)
        let ones: UInt64 = 0x0101_0101_0101_0101
        while i &+ 8 <= end {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: i, as: UInt64.self))
            let quotes = (word ^ (ones &* 0x22)) &- ones
            let backslashes = (word ^ (ones &* 0x5C)) &- ones
            let hits = (quotes | backslashes | (word &- (ones &* 0x20)) | word) & (ones &* 0x80)
            if hits != 0 { return i &+ hits.trailingZeroBitCount / 8 }
            i &+= 8
        }
        while i < end {
            let byte = base[i]
            if byte == 0x22 || byte == 0x5C || byte < 0x20 || byte >= 0x80 { break }
            i &+= 1
        }
        return i
    }
}

extension UInt8 {
    var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
    var isHexDigit: Bool { isDigit || (self | 0x20) &- UInt8(ascii: "a") < 6 }
}
