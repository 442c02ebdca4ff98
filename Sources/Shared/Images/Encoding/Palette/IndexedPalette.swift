/// A palette of a GIF, and how pixels are turned into its numbers.
final class IndexedPalette {
    let colours: [PackedColour]
    /// The number that leaves the canvas as it is; behind the colours.
    let transparent: UInt8?
    /// The mean squared distance of the pixels that it was made for; 0 if it has each of their colours.
    let meanError: Double
    private let table: ColourTable
    private let search: NearestColour
    /// The nearest colour of each cell of 4 x 4 x 4 steps (6 bits a channel), found when it is first wanted.
    private var nearest: [UInt16] = []

    /// A palette that has every colour of `table`. With 256 colours there is no room for a transparent one.
    convenience init(exact table: ColourTable) {
        self.init(table.colours, meanError: 0, hasTransparent: table.colours.count < 256)
    }

    /// A palette for more colours than fit.
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

    /// How many numbers there are, the transparent one among them.
    var count: Int { colours.count + (transparent == nil ? 0 : 1) }

    /// Whether it has every one of these colours.
    func hasAll(_ wanted: ColourTable) -> Bool {
        wanted.colours.count <= colours.count && wanted.colours.allSatisfy { table.number(of: $0) != nil }
    }

    /// The mean squared distance of the colours of another picture.
    func meanError(of histogram: ColourHistogram) -> Double {
        var total = 0.0
        var count = 0
        for cell in histogram.cells where cell.count > 0 {
            total += Double(search.nearest(cell.mean).distance) * Double(cell.count) + max(cell.variance, 0)
            count += cell.count
        }
        return total / Double(max(count, 1))
    }

    /// The number of a colour that the palette has.
    func exactNumber(_ colour: PackedColour) -> UInt8 { table.number(of: colour)! }

    /// Lends `body` what finds the colour nearest to samples of 0...255.
    func withNearest<Result>(_ body: (NearestNumbers) throws -> Result) rethrows -> Result {
        if nearest.isEmpty { nearest = [UInt16](repeating: NearestNumbers.unknown, count: 1 << 18) }
        return try nearest.withUnsafeMutableBufferPointer {
            try body(NearestNumbers(cells: $0.baseAddress!, search: search))
        }
    }
}

/// Numbers of nearest colours by cells of the colour cube, filled in as they are asked for.
struct NearestNumbers {
    fileprivate static let unknown = UInt16.max
    fileprivate let cells: UnsafeMutablePointer<UInt16>
    fileprivate let search: NearestColour

    @inline(__always) func number(_ red: Int, _ green: Int, _ blue: Int) -> UInt8 {
        let cell = (red >> 2) << 12 | (green >> 2) << 6 | blue >> 2
        let known = cells[cell]
        return known == Self.unknown ? find(cell) : UInt8(truncatingIfNeeded: known)
    }

    /// From the middle of the cell.
    @inline(never) private func find(_ cell: Int) -> UInt8 {
        let middle = PackedColour(
            red: (cell >> 12) << 2 | 2, green: (cell >> 6 & 63) << 2 | 2, blue: (cell & 63) << 2 | 2)
        let number = search.nearest(middle).index
        cells[cell] = UInt16(number)
        return UInt8(number)
    }
}
