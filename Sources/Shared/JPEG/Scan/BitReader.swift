/// Bits from the highest of each byte on (ITU-T T.81 F.2.2.5, without stuffed zeros), up to 64 at a time in a register.
///
/// Reads up to 8 bytes behind those that are asked for: whoever makes one sees to it that there are as many.
struct BitReader {
    /// The next bits, the first one on top. Below `count` there may be more, as they are in the bytes.
    private(set) var window: UInt64 = 0
    /// How many bits of the window can be used: 56 to 63 after `refill`.
    private var count = 0
    private var next: UnsafePointer<UInt8>
    private let base: UnsafePointer<UInt8>

    /// - Parameter position: of the first bit, from `base` on.
    @inline(__always) init(_ base: UnsafePointer<UInt8>, at position: Int) {
        self.base = base
        next = base + position >> 3
        refill()
        skip(position & 7)
    }

    /// Of the next bit, from the first byte on.
    @inline(__always) var position: Int { (next - base) * 8 - count }

    @inline(__always) mutating func refill() {
        let bytes = UnsafeRawPointer(next).loadUnaligned(as: UInt64.self).bigEndian
        window |= bytes &>> UInt64(count)
        next += (63 - count) >> 3
        count |= 56
    }

    /// - Parameter length: at most as many as are left.
    @inline(__always) mutating func skip(_ length: Int) {
        window &<<= UInt64(length)
        count -= length
    }

    /// The next `length` bits, 1 to 16.
    @inline(__always) func peek(_ length: Int) -> Int { Int(window &>> UInt64(64 - length)) }
}
