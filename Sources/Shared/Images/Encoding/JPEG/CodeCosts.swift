import Formats
import Libc

/// The costs of a JPEG's coefficients in bits (T.81, F.1.2.2): each has a code for the zeros before it (0 to 15) and its
/// number of magnitude bits. More zeros need the code for 16 zeros. A code ends the block.
struct CodeCosts {
    /// The cost of ending a block before its last coefficient.
    let end: Float
    /// The cost of a coefficient, indexed by the number of zeros before it * 16 + its number of magnitude bits.
    private let coefficients: [Float]

    static let endOfBlock = 0
    static let sixteenZeros = 0xF0

    /// Estimates the costs of codes that are optimised for these planes, from the frequency of each code in their
    /// blocks of 64 coefficients.
    init(of planes: [QuantizedPlane]) {
        // Counts start above 0, because every code may occur.
        var counts = [Float](repeating: 0.5, count: 256)
        let zigzag = JPEGBlock.zigzag
        for blocks in planes.map(\.blocks) {
            for start in stride(from: 0, to: blocks.count, by: 64) {
                var zeros = 0
                for place in 1..<64 {
                    let value = blocks[start + zigzag[place]]
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
        let bits = counts.map { log2(total / $0) }
        end = bits[Self.endOfBlock]
        coefficients = (0..<63 * 16).map {
            let (zeros, magnitudeBits) = ($0 / 16, $0 % 16)
            return Float(zeros / 16) * bits[Self.sixteenZeros] + bits[zeros % 16 * 16 + magnitudeBits]
                + Float(magnitudeBits)
        }
    }

    static func magnitudeBits(_ magnitude: Int) -> Int { Int.bitWidth - magnitude.leadingZeroBitCount }

    /// Returns the cost of a coefficient of `magnitudeBits` bits after this many zeros.
    func coefficient(zeros: Int, magnitudeBits: Int) -> Float { coefficients[zeros * 16 + magnitudeBits] }
}
