/// A palette of a GIF, with a search for the nearest colour.
final class IndexedPalette {
    let colours: [PackedColour]
    /// The index that leaves the canvas unchanged; it follows the colours.
    let transparent: UInt8?
    /// The mean squared error of the original pixels; 0 if the palette is exact.
    let meanError: Double
    private let table: ColourTable
    private let search: NearestColour
    /// The nearest colour of each cell of 4 x 4 x 4 steps (6 bits per channel), computed on demand.
    private var nearest: [UInt16] = []

    /// Makes a palette of all colours of `table`. With 256 colours there is no transparent index.
    convenience init(exact table: ColourTable) {
        self.init(table.colours, meanError: 0, hasTransparent: table.colours.count < 256)
    }

    /// Makes a palette for a picture with too many colours for an exact palette.
    convenience init(_ histogram: ColourHistogram, hasTransparent: Bool) {
        let design = PaletteDesign(histogram, limit: hasTransparent ? 255 : 256)
        self.init(design.colours, meanError: design.meanError, hasTransparent: hasTransparent)
    }

    private init(_ colours: [PackedColour], meanError: Double, hasTransparent: Bool) {
        var table = ColourTable()
        // Two boxes may have the same mean.
        for colour in colours { _ = table.insert(colour) }
        self.table = table
        self.colours = table.colours
        self.meanError = meanError
        transparent = hasTransparent ? UInt8(table.colours.count) : nil
        search = NearestColour(table.colours)
    }

    /// The number of indices, including the transparent index.
    var count: Int { colours.count + (transparent == nil ? 0 : 1) }

    /// Returns the mean squared error for another picture.
    func meanError(of histogram: ColourHistogram) -> Double {
        var total = 0.0
        var count = 0
        for cell in histogram.cells where cell.count > 0 {
            total += Double(search.nearest(cell.mean).distance) * Double(cell.count) + max(cell.variance, 0)
            count += cell.count
        }
        return total / Double(max(count, 1))
    }

    func exactIndex(_ colour: PackedColour) -> UInt8 { table.index(of: colour)! }

    /// Calls `body` with a search for the colour nearest to samples of 0...255.
    func withNearest<Result>(_ body: (NearestIndices) throws -> Result) rethrows -> Result {
        if nearest.isEmpty { nearest = [UInt16](repeating: NearestIndices.unknown, count: 1 << 18) }
        return try nearest.withUnsafeMutableBufferPointer {
            try body(NearestIndices(cells: $0.baseAddress!, search: search))
        }
    }
}

/// Indices of nearest colours by cells of the colour cube, computed on demand.
struct NearestIndices {
    fileprivate static let unknown = UInt16.max
    fileprivate let cells: UnsafeMutablePointer<UInt16>
    fileprivate let search: NearestColour

    @inline(__always) func index(_ red: Int, _ green: Int, _ blue: Int) -> UInt8 {
        let cell = (red >> 2) << 12 | (green >> 2) << 6 | blue >> 2
        let known = cells[cell]
        return known == Self.unknown ? find(cell) : UInt8(truncatingIfNeeded: known)
    }

    /// Searches from the centre of the cell.
    @inline(never) private func find(_ cell: Int) -> UInt8 {
        let middle = PackedColour(
            red: (cell >> 12) << 2 | 2, green: (cell >> 6 & 63) << 2 | 2, blue: (cell & 63) << 2 | 2)
        let (index, _) = search.nearest(middle)
        cells[cell] = UInt16(index)
        return UInt8(index)
    }
}
