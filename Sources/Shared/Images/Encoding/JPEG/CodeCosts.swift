import Formats
import Libc

/// The number of bits of a JPEG's coefficient codes (T.81, F.1.2.2): a code for each run of zeros (0 to 15) and
/// magnitude category, a code for 16 zeros, and a code for the end of a block.
struct CodeCosts {
    /// Bits per code, indexed by zeros * 16 + magnitude bits, without the magnitude bits themselves.
    private let bits: [Float]

    static let endOfBlock = 0
    static let sixteenZeros = 0xF0

    /// Estimates the costs of codes that are optimised for these planes, from the frequency of each code in their
    /// blocks of 64 coefficients.
    init(of planes: [QuantizedPlane]) {
        // Counts start above 0, because every code may occur.
        var counts = [Float](repeating: 0.5, count: 256)
        for plane in planes {
            for start in stride(from: 0, to: plane.blocks.count, by: 64) {
                var zeros = 0
                for place in 1..<64 {
                    let value = plane.blocks[start + JPEGBlock.zigzag[place]]
                    if value == 0 {
                        zeros += 1
                        continue
                    }
                    counts[Self.sixteenZeros] += Float(zeros / 16)
                    counts[zeros % 16 * 16 + Self.magnitudeBits(Int(value.magnitude))] += 1
                    zeros = 0
                }
                if zeros > 0 { counts[Self.endOfBlock] += 1 }
            }
        }
        let total = counts.reduce(0, +)
        bits = counts.map { log2(total / $0) }
    }

    static func magnitudeBits(_ magnitude: Int) -> Int { Int.bitWidth - magnitude.leadingZeroBitCount }

    /// The cost of ending a block before its last coefficient.
    var end: Float { bits[Self.endOfBlock] }

    /// Returns the cost of a coefficient of `magnitudeBits` bits after this many zeros.
    func coefficient(zeros: Int, magnitudeBits: Int) -> Float {
        Float(zeros / 16) * bits[Self.sixteenZeros] + bits[zeros % 16 * 16 + magnitudeBits] + Float(magnitudeBits)
    }
}
