import Libc

/// Divides the samples 0...255 into cells.
struct ColourCells {
    /// The cell of each sample.
    let index: [UInt8]
    var count: Int { middles.count }
    /// The sample in the middle of each cell.
    let middles: [UInt8]

    private init(count: Int, cell: (Int) -> Int) {
        index = (0..<256).map { UInt8(cell($0)) }
        var first = [Int?](repeating: nil, count: count)
        var last = [Int](repeating: 0, count: count)
        for sample in 0..<256 {
            let cell = cell(sample)
            first[cell] = first[cell] ?? sample
            last[cell] = sample
        }
        // Cells without samples are never used.
        middles = (0..<count).map { UInt8(((first[$0] ?? 0) + last[$0] + 1) / 2) }
    }

    /// Cells of equal size.
    static func even(_ count: Int) -> ColourCells { ColourCells(count: count) { $0 * count / 256 } }

    /// Cells that are smaller for dark samples, because a night sky differs from black by only a few levels. Of 48
    /// cells, five cover the darkest ten samples.
    static func darkened(_ count: Int) -> ColourCells {
        ColourCells(count: count) { Int(pow(Double($0) / 256, 0.7) * Double(count)) }
    }

    static let even32 = even(32)
    static let even64 = even(64)
    static let darkened48 = darkened(48)
    static let darkened64 = darkened(64)
}
