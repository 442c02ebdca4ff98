/// Reads bits from data without stuffed zeros, the most significant bit of each byte first (ITU-T T.81 F.2.2.5). Loads
/// 64 bits at a time, so the 8 bytes after the requested bits must be readable.
struct BitReader {
    /// The next bits, starting at the most significant bit. The bits after the first `count` may already contain data.
    private(set) var window: UInt64 = 0
    /// The number of valid bits in the window: 56 to 63 after `refill`.
    private var count = 0
    private var next: UnsafePointer<UInt8>
    private let base: UnsafePointer<UInt8>

    /// - Parameter position: the first bit, counted from `base`.
    @inline(__always) init(_ base: UnsafePointer<UInt8>, at position: Int) {
        self.base = base
        next = base + position >> 3
        refill()
        skip(position & 7)
    }

    @inline(__always) var position: Int { (next - base) * 8 - count }

    @inline(__always) mutating func refill() {
        let bytes = UnsafeRawPointer(next).loadUnaligned(as: UInt64.self).bigEndian
        window |= bytes &>> UInt64(count)
        next += (63 - count) >> 3
        count |= 56
    }

    /// - Parameter length: at most the number of valid bits.
    @inline(__always) mutating func skip(_ length: Int) {
        window &<<= UInt64(length)
        count -= length
    }

    /// Returns the next `length` bits (1 to 16) without skipping them.
    @inline(__always) func peek(_ length: Int) -> Int { Int(window &>> UInt64(64 - length)) }
}
