import Libc

/// How many bits the codes of a JPEG's coefficients take (T.81, F.1.2.2): one for each number of zeros before a
/// coefficient (0 to 15) and the bits of its magnitude, one for 16 zeros, and one for the end of a block.
struct CodeCosts {
    /// For zeros * 16 + bits, without the bits themselves.
    private let bits: [Float]

    static let endOfBlock = 0
    static let sixteenZeros = 0xF0

    /// Costs of codes made for these planes, which come as blocks of 64: as long as their frequencies allow.
    init(of planes: [QuantizedPlane]) {
        // Each may come.
        var counts = [Float](repeating: 0.5, count: 256)
        for plane in planes {
            plane.blocks.withUnsafeBufferPointer { blocks in
                for start in stride(from: 0, to: blocks.count, by: 64) {
                    var zeros = 0
                    for place in 1..<64 {
                        let value = blocks[start + TrellisQuantizer.zigzag[place]]
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
        }
        let total = counts.reduce(0, +)
        bits = counts.map { log2(total / $0) }
    }

    static func magnitudeBits(_ magnitude: Int) -> Int { Int.bitWidth - magnitude.leadingZeroBitCount }

    /// The end of a block before its last coefficient.
    var end: Float { bits[Self.endOfBlock] }

    /// A coefficient of `magnitudeBits` bits behind so many zeros.
    func coefficient(zeros: Int, magnitudeBits: Int) -> Float {
        Float(zeros / 16) * bits[Self.sixteenZeros] + bits[zeros % 16 * 16 + magnitudeBits] + Float(magnitudeBits)
    }
}
