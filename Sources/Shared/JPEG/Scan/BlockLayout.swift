/// What is kept of a block of 8 x 8 coefficients for `size` x `size` samples: as many of its lowest frequencies.
///
/// They make the picture that the inverse DCT of that size gives (`apod_inverse_dct`): better than any that comes
/// from all of them and is made smaller by boxes, and everything else is only counted.
struct BlockLayout: Hashable {
    /// The sizes that there are kernels for, the smallest first.
    static let sizes = [1, 2, 3, 4, 5, 6, 8]

    let size: Int
    /// Coefficients from one row of frequencies to the next.
    let stride: Int

    init(size: Int) {
        self.size = size
        stride = size <= 2 ? size : size <= 4 ? 4 : 8
    }

    /// Coefficients of a block.
    var area: Int { size * stride }

    /// The last coefficient in zigzag order that is kept.
    var last: Int { (0..<64).last { place(ofZigzag: $0) != nil } ?? 0 }

    /// Where coefficient k in zigzag order lies within the block; nil if it is not kept.
    func place(ofZigzag k: Int) -> Int? {
        let (row, column) = (Self.zigzag[k] / 8, Self.zigzag[k] % 8)
        return row < size && column < size ? row * stride + column : nil
    }

    /// Where each coefficient goes, also those that damaged data puts behind a block's end: up to number 79 they land on
    /// its last place, as with libjpeg. What is not kept lands on the mean's place, which is filled last.
    var places: [UInt8] {
        let last = place(ofZigzag: 63) ?? 0
        return (0..<64).map { UInt8(place(ofZigzag: $0) ?? 0) }
            + (64..<64 + HuffmanTable.endOfBlock).map { UInt8($0 < HuffmanTable.endOfBlock ? last : 0) }
    }

    /// Quantisation steps in zigzag order, laid out like the block.
    func laidOut(steps: [UInt16]) -> [UInt16] {
        var laidOut = [UInt16](repeating: 0, count: area)
        for (k, step) in steps.enumerated() {
            if let place = place(ofZigzag: k) { laidOut[place] = step }
        }
        return laidOut
    }

    /// The place of each coefficient within a row-by-row block, in zigzag order (ITU-T T.81 figure A.6).
    static let zigzag: [Int] = {
        var places: [Int] = []
        for diagonal in 0..<15 {
            let range = max(diagonal - 7, 0)...min(diagonal, 7)
            let rows = diagonal % 2 == 0 ? Array(range.reversed()) : Array(range)
            places += rows.map { $0 * 8 + diagonal - $0 }
        }
        return places
    }()
}
