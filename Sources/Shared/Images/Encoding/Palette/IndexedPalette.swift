/// A palette of a GIF, with a search for the nearest colour.
final class IndexedPalette {
    let colours: [PackedColour]
    /// The index of pixels that are not drawn: the first index after the colours. Nil if the palette has no such index.
    let transparent: UInt8?
    /// The mean squared error of the pixels that the palette was designed for; 0 if the palette is exact.
    let meanError: Double
    private let table: ColourTable
    private let search: NearestColour
    private let axis: ColourCells
    /// The nearest colour of each cell (6 bits per channel), computed on demand.
    private var nearest: [UInt16] = []

    /// Creates a palette of all colours in `table`. With 256 colours, there is no transparent index.
    convenience init(exact table: ColourTable) {
        self.init(table.colours, meanError: 0, hasTransparent: table.colours.count < 256)
    }

    /// Creates a palette for a picture with too many colours for an exact palette.
    convenience init(_ histogram: ColourHistogram, hasTransparent: Bool) {
        let design = PaletteDesign(histogram, limit: hasTransparent ? 255 : 256)
        self.init(design.colours, meanError: design.meanError, hasTransparent: hasTransparent)
    }

    /// Creates a palette with as few colours as the tolerance permits, and a transparent index.
    ///
    /// - Parameters:
    ///   - exact: all colours, if there are at most 256.
    ///   - limit: 1 to 255 colours.
    ///   - tolerance: see `PaletteDesign`.
    convenience init(_ histogram: ColourHistogram, exact: ColourTable?, limit: Int, tolerance: Double) {
        var (colours, meanError) = ([PackedColour(red: 0, green: 0, blue: 0)], 0.0)
        if exact?.colours.isEmpty != true {
            let design = PaletteDesign(histogram, limit: limit, tolerance: tolerance)
            (colours, meanError) = (design.colours, design.meanError)
            if let exact, exact.colours.count <= colours.count { (colours, meanError) = (exact.colours, 0) }
        }
        self.init(colours, meanError: meanError, hasTransparent: true, axis: .darkened64)
    }

    private init(_ colours: [PackedColour], meanError: Double, hasTransparent: Bool, axis: ColourCells = .even64) {
        var table = ColourTable()
        // Removes duplicates, because two boxes of a design may have the same mean.
        for colour in colours { _ = table.insert(colour) }
        self.table = table
        self.colours = table.colours
        self.meanError = meanError
        self.axis = axis
        transparent = hasTransparent ? UInt8(table.colours.count) : nil
        search = NearestColour(table.colours)
    }

    /// The number of indices, including the transparent index.
    var count: Int { colours.count + (transparent == nil ? 0 : 1) }

    /// Returns the mean squared error for another picture.
    func meanError(of histogram: ColourHistogram) -> Double {
        var total = 0.0
        var count = 0
        for cell in histogram.occupied {
            total += Double(search.nearest(cell.mean).distance) * Double(cell.count) + max(cell.variance, 0)
            count += cell.count
        }
        return total / Double(max(count, 1))
    }

    func index(of colour: PackedColour) -> UInt8? { table.index(of: colour) }

    /// Returns the index of the nearest colour and its squared distance. Also compares the neighbours of the cell's
    /// colour. Otherwise, similar pixels in adjacent cells would differ more than necessary, because the cell's colour
    /// is not always the nearest.
    @inline(__always) func nearest(_ colour: PackedColour, _ cells: NearestIndices) -> (index: UInt8, distance: Int) {
        var index = cells.index(colour.red, colour.green, colour.blue)
        var distance = colour.distance(to: colours[Int(index)])
        if distance == 0 { return (index, 0) }
        for other in neighbours(of: index) {
            let candidate = colour.distance(to: colours[Int(other)])
            if candidate < distance { (index, distance) = (other, candidate) }
        }
        return (index, distance)
    }

    /// Returns the indices of the colours nearest to a colour of the palette, the nearest first.
    func neighbours(of index: UInt8) -> ArraySlice<UInt8> {
        let count = min(Self.mostNeighbours, colours.count - 1)
        return neighbours[Int(index) * count..<(Int(index) + 1) * count]
    }

    private lazy var neighbours: [UInt8] = colours.flatMap { colour in
        let others = colours.indices.filter { colours[$0] != colour }
        let order = others.map { colours[$0].distance(to: colour) << 8 | $0 }.sorted()
        return order.prefix(Self.mostNeighbours).map { UInt8($0 & 0xFF) }
    }

    /// A colour has about twelve neighbours in a dense palette.
    private static let mostNeighbours = 12

    /// Calls `body` with a search for the colour nearest to samples of 0...255.
    func withNearest<Result>(_ body: (NearestIndices) throws -> Result) rethrows -> Result {
        if nearest.isEmpty { nearest = [UInt16](repeating: NearestIndices.unknown, count: 1 << 18) }
        return try nearest.withUnsafeMutableBufferPointer {
            try body(NearestIndices(cells: $0.baseAddress!, search: search, axis: axis))
        }
    }
}

/// Indices of nearest colours by cells of the colour cube, computed on demand.
struct NearestIndices {
    fileprivate static let unknown = UInt16.max
    fileprivate let cells: UnsafeMutablePointer<UInt16>
    fileprivate let search: NearestColour
    fileprivate let axis: ColourCells

    @inline(__always) func index(_ red: Int, _ green: Int, _ blue: Int) -> UInt8 {
        let cell = Int(axis.index[red]) << 12 | Int(axis.index[green]) << 6 | Int(axis.index[blue])
        let known = cells[cell]
        return known == Self.unknown ? find(cell) : UInt8(truncatingIfNeeded: known)
    }

    /// Finds the colour nearest to the centre of the cell.
    @inline(never) private func find(_ cell: Int) -> UInt8 {
        let middle = PackedColour(
            red: Int(axis.middles[cell >> 12]), green: Int(axis.middles[cell >> 6 & 63]),
            blue: Int(axis.middles[cell & 63]))
        let (index, _) = search.nearest(middle)
        cells[cell] = UInt16(index)
        return UInt8(index)
    }
}
