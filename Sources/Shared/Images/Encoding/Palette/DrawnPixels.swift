import Support

/// The pixels that a GIF frame draws in an area of a canvas: the changed pixels, or all pixels that are not transparent
/// if there is no previous frame.
final class DrawnPixels {
    let area: CanvasArea
    /// The drawn colours; nil if there are more than 256.
    private(set) var exactColours: ColourTable?
    /// Whether some pixels are not drawn.
    private(set) var skipsPixels = false
    private let canvas: PackedCanvas
    private let shown: PackedCanvas?
    /// A row in which skipped pixels are transparent.
    private let row: AlignedBuffer

    /// - Parameter shown: the displayed canvas. Pixels that are transparent in `canvas` must also be transparent in
    ///   `shown`.
    init(of canvas: PackedCanvas, over shown: PackedCanvas? = nil, _ area: CanvasArea) {
        self.area = area
        self.canvas = canvas
        self.shown = shown
        row = AlignedBuffer(count: shown == nil ? 0 : area.columns.count * 4)
        lookForFewColours()
    }

    /// Returns a row of the area, in which pixels that are not drawn are transparent. Valid until the next call.
    func row(_ y: Int) -> UnsafePointer<PackedColour> {
        let offset = y * canvas.width + area.columns.lowerBound
        let new = canvas.pixels + offset
        guard let shown else { return UnsafePointer(new) }
        let old = shown.pixels + offset
        let drawn = UnsafeMutableRawPointer(row.bytes).assumingMemoryBound(to: PackedColour.self)
        for x in 0..<area.columns.count { drawn[x] = new[x] == old[x] ? .transparent : new[x] }
        return UnsafePointer(drawn)
    }

    private func lookForFewColours() {
        var table = ColourTable()
        var fits = true
        var last = PackedColour.transparent
        for y in area.rows where fits || !skipsPixels {
            let row = row(y)
            for x in 0..<area.columns.count {
                let pixel = row[x]
                if pixel.isTransparent {
                    skipsPixels = true
                } else if fits && pixel != last {
                    last = pixel
                    fits = table.insert(pixel)
                }
            }
        }
        exactColours = fits ? table : nil
    }

    /// The approximate maximum number of pixels in a histogram. In larger areas, only a part of the rows is counted,
    /// unless these rows have no colour.
    private static let sampledPixels = 4_000_000

    var histogram: ColourHistogram {
        let sampled = histogram(step: max(area.count / Self.sampledPixels, 1))
        return sampled.occupied.isEmpty ? histogram(step: 1) : sampled
    }

    private func histogram(step: Int) -> ColourHistogram {
        var histogram = ColourHistogram()
        for y in stride(from: area.rows.lowerBound, to: area.rows.upperBound, by: step) {
            histogram.add(UnsafeBufferPointer(start: row(y), count: area.columns.count))
        }
        return histogram
    }

    /// Returns the index of each pixel in a palette that has all colours. Pixels that are not drawn get the transparent
    /// index.
    func exactIndices(in palette: IndexedPalette) -> [UInt8] {
        var indices = [UInt8](repeating: palette.transparent ?? 0, count: area.count)
        var last = PackedColour.transparent
        var index: UInt8 = 0
        indices.withUnsafeMutableBufferPointer { indices in
            for (line, y) in area.rows.enumerated() {
                let row = row(y)
                let target = indices.baseAddress! + line * area.columns.count
                for x in 0..<area.columns.count where !row[x].isTransparent {
                    if row[x] != last {
                        last = row[x]
                        index = palette.index(of: last)!
                    }
                    target[x] = index
                }
            }
        }
        return indices
    }
}
