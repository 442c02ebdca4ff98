/// A palette for frames of an animation, and the loss that these frames may have.
final class FramePalette {
    let colours: IndexedPalette
    /// The palette index of pixels that are not drawn.
    let transparent: UInt8
    /// The weighted mean error (`GIFLoss`) of the pixels that the palette was designed for.
    private let error: Double
    let margin: GIFLoss.Margin
    private let loss: GIFLoss
    /// The dither offset of samples for each position in Bayer's matrix. The strength is half the distance between
    /// evenly spread colours, because a stronger pattern would be more visible than bands.
    private let pattern: [Int]

    /// A palette is used for another frame if the frame's mean error is at most 1.5 times the palette's original error,
    /// or 3 times the error that the loss permits.
    private static let toleratedGrowth = 1.5, toleratedLoss = 3.0
    /// With fewer pixels per colour, a larger palette would take more bytes than it saves.
    private static let pixelsPerColour = 64
    /// The maximum squared distance between neighbouring pixels in a smooth area: four levels in each channel.
    private static let smoothDistance = 48

    init(_ pixels: ChangedPixels, loss: GIFLoss) {
        self.loss = loss
        // The palette size is a power of two, and includes the transparent index.
        var room = 16
        while room < 256, room * Self.pixelsPerColour < pixels.count { room *= 2 }
        let full = Double(GIFLoss.fullWeight * pixels.count)
        let weight = Double(max(pixels.weight, 1))
        colours = IndexedPalette(
            pixels.histogram, exact: pixels.exact, limit: room - 1, tolerance: loss.paletteError * full / weight)
        transparent = UInt8(colours.colours.count)
        error = full > 0 ? colours.meanError * weight / full : 0
        margin = loss.margin(error)
        pattern = Dithering.pattern(strength: colours.meanError.squareRoot())
    }

    func serves(_ frame: LossyFrame) -> Bool {
        let tolerated = max(error * Self.toleratedGrowth, loss.paletteError * Self.toleratedLoss)
        return Double(frame.error) <= tolerated * Double(frame.count * GIFLoss.fullWeight)
    }

    /// Returns the index for a pixel: the nearest colour, or in smooth areas a dithered colour.
    @inline(__always) fileprivate func index(
        _ row: UnsafePointer<PackedColour>, above: UnsafePointer<PackedColour>?, _ x: Int, _ y: Int,
        _ nearest: NearestIndices
    ) -> (index: UInt8, distance: Int) {
        let pixel = row[x]
        let plain = colours.nearest(pixel, nearest)
        guard plain.distance > 0, x > 0, let above, pixel.distance(to: row[x - 1]) <= Self.smoothDistance,
            pixel.distance(to: above[x]) <= Self.smoothDistance
        else { return plain }
        let offset = pattern[(y & 7) << 3 | x & 7]
        func moved(_ sample: Int) -> Int { min(max(sample &+ offset, 0), 255) }
        let wanted = PackedColour(red: moved(pixel.red), green: moved(pixel.green), blue: moved(pixel.blue))
        let (index, _) = colours.nearest(wanted, nearest)
        return (index, pixel.distance(to: colours.colours[Int(index)]))
    }
}

/// Counts the pixels that a palette is designed for.
struct ChangedPixels {
    private(set) var histogram = ColourHistogram(.darkened48)
    private(set) var count = 0
    private(set) var weight = 0
    /// All colours; nil if there are more than 256.
    private(set) var exact: ColourTable? = ColourTable()

    /// Adds the opaque pixels of a frame that differ from the previous frame. Adds all opaque pixels if `before` is
    /// nil.
    mutating func add(_ frame: PackedCanvas, over before: PackedCanvas?) {
        let width = frame.width
        var last = PackedColour.transparent
        for y in 0..<frame.height {
            let row = UnsafePointer(frame.pixels + y * width)
            let above = y == 0 ? nil : row - width
            let old = before.map { $0.pixels + y * width }
            for x in 0..<width where !row[x].isTransparent && row[x] != old?[x] {
                let weight = GIFLoss.weight(contrast: GIFLoss.contrast(row, above: above, x))
                histogram.add(row[x], weight: weight)
                count += 1
                self.weight += weight
                guard row[x] != last else { continue }
                last = row[x]
                if exact?.insert(last) == false { exact = nil }
            }
        }
    }
}

/// A frame in the colours of a palette, drawn over the displayed canvas.
struct LossyFrame {
    let palette: FramePalette
    /// The palette index of each pixel of the canvas; `transparent` for pixels that keep their displayed colour.
    private var indices: [UInt8]
    /// The bounding rectangle of the drawn pixels; nil if there are none.
    private(set) var area: CanvasArea?
    /// The number of drawn pixels, and the sum of their weighted errors (`GIFLoss`).
    private(set) var count = 0, error = 0
    private let canvas: PackedCanvas
    private let shown: PackedCanvas

    /// - Parameters:
    ///   - before: the previous frame as received. Unchanged pixels are not drawn.
    ///   - shown: the previous frame as displayed.
    init(_ canvas: PackedCanvas, over before: PackedCanvas, _ shown: PackedCanvas, _ palette: FramePalette) {
        self.palette = palette
        self.canvas = canvas
        self.shown = shown
        let width = canvas.width
        indices = [UInt8](repeating: palette.transparent, count: width * canvas.height)
        var extent = Extent()
        let colours = palette.colours.colours
        palette.colours.withNearest { nearest in
            for y in 0..<canvas.height {
                let row = UnsafePointer(canvas.pixels + y * width)
                let above = y == 0 ? nil : row - width
                let old = before.pixels + y * width
                let seen = shown.pixels + y * width
                for x in 0..<width where row[x] != old[x] && !row[x].isTransparent {
                    let (index, distance) = palette.index(row, above: above, x, y, nearest)
                    let contrast = GIFLoss.contrast(row, above: above, x)
                    if !seen[x].isTransparent,
                        row[x].distance(to: seen[x])
                            <= GIFLoss.limit(distance, palette.margin.steadiness, contrast: contrast)
                            || seen[x] == colours[Int(index)]
                    {
                        continue
                    }
                    indices[y * width + x] = index
                    extent.include(x...x, y)
                    count += 1
                    error += distance &* GIFLoss.weight(contrast: contrast)
                }
            }
        }
        area = extent.area
    }

    /// Returns `perPixel` tolerated indices for each pixel of an area, and whether a pixel may be transparent. If a
    /// pixel has fewer tolerated indices, the first index is repeated.
    func choices(in area: CanvasArea, perPixel: Int) -> (choices: [UInt8], skipsPixels: Bool) {
        let (colours, width) = (palette.colours.colours, canvas.width)
        var choices = [UInt8](repeating: palette.transparent, count: area.count * perPixel)
        var skipsPixels = false
        choices.withUnsafeMutableBufferPointer { choices in
            var target = choices.baseAddress!
            for y in area.rows {
                let row = UnsafePointer(canvas.pixels + y * width)
                let above = y == 0 ? nil : row - width
                for x in area.columns {
                    defer { target += perPixel }
                    let index = indices[y * width + x]
                    guard index != palette.transparent else {
                        skipsPixels = true
                        let seen = shown.pixels[y * width + x]
                        if !seen.isTransparent, let index = palette.colours.index(of: seen) { target[1] = index }
                        continue
                    }
                    target.update(repeating: index, count: perPixel)
                    let limit = GIFLoss.limit(
                        row[x].distance(to: colours[Int(index)]), palette.margin.variation,
                        contrast: GIFLoss.contrast(row, above: above, x))
                    var count = 1
                    for other in palette.colours.neighbours(of: index) where count < perPixel {
                        if row[x].distance(to: colours[Int(other)]) > limit { continue }
                        target[count] = other
                        count += 1
                    }
                }
            }
        }
        return (choices, skipsPixels)
    }
}
