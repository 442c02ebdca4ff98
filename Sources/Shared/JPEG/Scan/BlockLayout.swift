import Formats

/// The lowest `size` x `size` frequencies of an 8 x 8 block, which are transformed to `size` x `size` samples.
///
/// An inverse DCT of that size (`apod_inverse_dct`) looks better than a box filter after the full transform. Decoders
/// skip the other coefficients.
struct BlockLayout: Hashable {
    /// The sizes that `apod_inverse_dct` supports, ascending.
    static let sizes = [1, 2, 3, 4, 5, 6, 8]

    let size: Int
    /// Coefficients per row in memory, including padding.
    let stride: Int

    init(size: Int) {
        self.size = size
        stride = size <= 2 ? size : size <= 4 ? 4 : 8
    }

    var area: Int { size * stride }

    /// The last coefficient in zigzag order that is kept.
    var last: Int { (0..<64).last { place(ofZigzag: $0) != nil } ?? 0 }

    /// Returns the position of coefficient `k`, in zigzag order, in the block, or nil if the coefficient is not kept.
    func place(ofZigzag k: Int) -> Int? {
        let (row, column) = (JPEGBlock.zigzag[k] / 8, JPEGBlock.zigzag[k] % 8)
        return row < size && column < size ? row * stride + column : nil
    }

    /// The position of each coefficient number, 0 to 143. Coefficients that are not kept have position 0, which the
    /// inverse DCT overwrites with the DC coefficient. Only damaged data has numbers above 63. Numbers up to 79 have
    /// the last position, as in libjpeg, and higher numbers position 0.
    var places: [UInt8] {
        let last = place(ofZigzag: 63) ?? 0
        return (0..<64).map { UInt8(place(ofZigzag: $0) ?? 0) }
            + (64..<64 + HuffmanTable.endOfBlock).map { UInt8($0 < HuffmanTable.endOfBlock ? last : 0) }
    }

    /// Rearranges quantisation steps from zigzag order to the order of the block.
    func laidOut(steps: [UInt16]) -> [UInt16] {
        var laidOut = [UInt16](repeating: 0, count: area)
        for (k, step) in steps.enumerated() {
            if let place = place(ofZigzag: k) { laidOut[place] = step }
        }
        return laidOut
    }
}
