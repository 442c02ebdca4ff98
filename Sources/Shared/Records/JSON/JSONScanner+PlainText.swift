extension JSONScanner {
    /// Returns the offset of the first quote, backslash, control character or non-ASCII byte at or after `start`, or
    /// `end`.
    ///
    /// Tests eight bytes at a time. A byte is a hit if the top bit is set in the byte itself, in byte - 0x20, or in
    /// (byte ^ c) - 1 for a quote or backslash c. Only a hit borrows from the next byte, so the lowest hit is exact.
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
