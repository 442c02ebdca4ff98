import Support

/// Approximates colours that a palette lacks.
enum Dithering {
    /// Distributes the error of each pixel to its neighbours (Floyd and Steinberg), in alternating directions. This is
    /// closest to the picture, but a changed pixel alters the pattern of all later pixels.
    case errorDiffusion
    /// Adds a pattern that is fixed to the canvas. Unchanged pixels keep their pattern, so animations do not shimmer.
    case ordered

    /// Returns the palette index of each pixel, row by row, in a palette that may lack some colours. Pixels that are
    /// not drawn get the transparent index.
    func indices(of pixels: DrawnPixels, in palette: IndexedPalette, checking drain: EncoderOutput) throws -> [UInt8] {
        var indices = [UInt8](repeating: palette.transparent ?? 0, count: pixels.area.count)
        try indices.withUnsafeMutableBufferPointer { indices in
            try palette.withNearest { nearest in
                switch self {
                case .errorDiffusion:
                    try Self.diffuse(pixels, palette.colours, nearest, drain, into: indices.baseAddress!)
                case .ordered:
                    try Self.order(pixels, Self.pattern(for: palette), nearest, drain, into: indices.baseAddress!)
                }
            }
        }
        return indices
    }

    private static func diffuse(
        _ pixels: DrawnPixels, _ colours: [PackedColour], _ nearest: NearestIndices, _ drain: EncoderOutput,
        into indices: UnsafeMutablePointer<UInt8>
    ) throws {
        let width = pixels.area.columns.count
        // The errors of this row and the next in sixteenths, three per pixel, with a pixel of padding at each end.
        let rowCount = (width + 2) * 3
        var errors = [Int32](repeating: 0, count: rowCount * 2)
        try errors.withUnsafeMutableBufferPointer { errors in
            try colours.withUnsafeBufferPointer { colours in
                var here = errors.baseAddress!
                var below = here + rowCount
                for (line, y) in pixels.area.rows.enumerated() {
                    if line % 64 == 0 { try drain.checkpoint(nil) }
                    below.update(repeating: 0, count: rowCount)
                    diffuseRow(
                        pixels.row(y), width: width, leftward: line % 2 == 1, colours, nearest, here + 3, below + 3,
                        into: indices + line * width)
                    swap(&here, &below)
                }
            }
        }
    }

    /// - Parameters:
    ///   - here: the errors of this row, from its first pixel.
    ///   - below: the errors of the next row.
    private static func diffuseRow(
        _ row: UnsafePointer<PackedColour>, width: Int, leftward: Bool, _ colours: UnsafeBufferPointer<PackedColour>,
        _ nearest: NearestIndices, _ here: UnsafeMutablePointer<Int32>, _ below: UnsafeMutablePointer<Int32>,
        into indices: UnsafeMutablePointer<UInt8>
    ) {
        let step = leftward ? -1 : 1
        let ahead = step * 3
        var column = leftward ? width - 1 : 0
        for _ in 0..<width {
            defer { column &+= step }
            let pixel = row[column]
            if pixel.isTransparent { continue }
            let error = here + column &* 3
            let under = below + column &* 3
            let r = clamped(pixel.red &+ Int((error[0] &+ 8) >> 4))
            let g = clamped(pixel.green &+ Int((error[1] &+ 8) >> 4))
            let b = clamped(pixel.blue &+ Int((error[2] &+ 8) >> 4))
            let index = nearest.index(r, g, b)
            indices[column] = index
            let colour = colours[Int(index)]
            pass(r &- colour.red, error, under, ahead)
            pass(g &- colour.green, error + 1, under + 1, ahead)
            pass(b &- colour.blue, error + 2, under + 2, ahead)
        }
    }

    /// Passes on an error: 7/16 to the next pixel, and 3/16, 5/16 and 1/16 to the row below.
    @inline(__always) private static func pass(
        _ off: Int, _ error: UnsafeMutablePointer<Int32>, _ under: UnsafeMutablePointer<Int32>, _ ahead: Int
    ) {
        let off = Int32(truncatingIfNeeded: off)
        error[ahead] &+= off &* 7
        under[-ahead] &+= off &* 3
        under[0] &+= off &* 5
        under[ahead] &+= off
    }

    @inline(__always) private static func clamped(_ sample: Int) -> Int { min(max(sample, 0), 255) }

    /// Bayer's 8x8 matrix: 0 to 63, distributed so that any threshold gives an even pattern.
    private static let bayer: [Int] = (0..<64).map { place in
        let (x, y) = (place & 7, place >> 3)
        return (0..<3).reduce(0) { value, bit in
            let (a, b) = (x >> bit & 1, y >> bit & 1)
            return value | ((a ^ b) << 1 | b) << (4 - 2 * bit)
        }
    }

    /// Returns the offset of samples for each position in the matrix.
    private static func pattern(for palette: IndexedPalette) -> [Int] {
        // The distance between evenly spread colours: in each of three channels, the mean squared error is a twelfth of
        // the squared distance. The pattern is slightly weaker, because a pattern is more visible than the error.
        let distance = (palette.meanError / 3 * 12).squareRoot()
        return pattern(strength: min(distance * 0.75, 64))
    }

    /// - Parameter strength: the difference between the largest and the smallest offset.
    static func pattern(strength: Double) -> [Int] {
        bayer.map { Int((((Double($0) + 0.5) / 64 - 0.5) * strength).rounded()) }
    }

    private static func order(
        _ pixels: DrawnPixels, _ pattern: [Int], _ nearest: NearestIndices, _ drain: EncoderOutput,
        into indices: UnsafeMutablePointer<UInt8>
    ) throws {
        let columns = pixels.area.columns
        try pattern.withUnsafeBufferPointer { pattern in
            for (line, y) in pixels.area.rows.enumerated() {
                if line % 64 == 0 { try drain.checkpoint(nil) }
                let target = indices + line * columns.count
                let row = pixels.row(y)
                // The pattern of blue is shifted, which also mixes hues.
                let offsets = pattern.baseAddress! + (y & 7) * 8
                let blueOffsets = pattern.baseAddress! + ((y + 3) & 7) * 8
                for column in 0..<columns.count {
                    let pixel = row[column]
                    if pixel.isTransparent { continue }
                    let x = column &+ columns.lowerBound
                    let offset = offsets[x & 7]
                    target[column] = nearest.index(
                        clamped(pixel.red &+ offset), clamped(pixel.green &+ offset),
                        clamped(pixel.blue &+ blueOffsets[(x &+ 3) & 7]))
                }
            }
        }
    }
}
