import Formats
import Support

/// Encodes rows of 1 to 4 channels as a GIF of one frame. A palette needs the whole picture, so the rows are gathered.
///
/// Up to 256 colours, the transparent one among them, are kept as they are; more are chosen by `PaletteDesign` and mixed
/// by error diffusion. Metadata is not written, as browsers read none of a GIF.
final class GIFWriter: RowWriter {
    private let canvas: PackedCanvas
    private let channels: Int
    private let background: RGB
    private let drain: ByteDrain
    private let interruption = Interruption()
    private var y = 0

    /// - Parameter background: what half-transparent pixels are laid on; those below one half are transparent.
    init(size: PixelSize, channels: Int, background: RGB, limits: DecodeLimits, into drain: ByteDrain) throws {
        // The pixels and their palette numbers.
        try limits.check(memory: size, bytesPerPixel: 5)
        canvas = PackedCanvas(width: size.width, height: size.height)
        self.channels = channels
        self.background = background
        self.drain = drain
    }

    func write(_ row: UnsafePointer<UInt8>) {
        canvas.setRow(y, row, channels: channels, background: background)
        y += 1
    }

    func finish() throws {
        let area = CanvasArea(columns: 0..<canvas.width, rows: 0..<canvas.height)
        let pixels = canvas.pixels
        let picture = FramePixels(canvas, area) { !pixels[$0].isTransparent }
        let palette: IndexedPalette
        var numbers: [UInt8]
        if let exact = picture.exactColours, exact.colours.count < 256 || !picture.leavesOut {
            palette = IndexedPalette(exact: exact)
            numbers = picture.exactNumbers(in: palette)
        } else {
            palette = IndexedPalette(picture.histogram, hasTransparent: picture.leavesOut)
            numbers = try Dithering.errorDiffusion.numbers(
                of: area, canvas, in: palette, checking: interruption, draws: picture.draws)
        }
        let output = try GIFOutput(width: canvas.width, height: canvas.height, palette: palette, plays: 1, into: drain)
        let control = GIFOutput.Control(
            delay: 0, clearsAfterwards: false, transparent: picture.leavesOut ? palette.transparent : nil)
        try output.writeFrame(area, &numbers, palette: nil, control, checking: interruption)
        try output.finish()
    }
}

/// The pixels of an area that a frame of a GIF draws.
struct FramePixels {
    let canvas: PackedCanvas
    let area: CanvasArea
    /// Whether the pixel of that index of the canvas is drawn.
    let draws: (Int) -> Bool
    /// The colours that are drawn; nil where there are over 256.
    let exactColours: ColourTable?
    /// Whether there is a pixel that is not drawn.
    let leavesOut: Bool

    init(_ canvas: PackedCanvas, _ area: CanvasArea, draws: @escaping (Int) -> Bool) {
        self.canvas = canvas
        self.area = area
        self.draws = draws
        var table = ColourTable()
        var leavesOut = false
        var fits = true
        var last = PackedColour.transparent
        rows: for y in area.rows {
            for x in area.columns {
                let place = y &* canvas.width &+ x
                guard draws(place) else {
                    leavesOut = true
                    continue
                }
                let pixel = canvas.pixels[place]
                if !fits || pixel == last { continue }
                last = pixel
                fits = table.insert(pixel)
            }
            if !fits && leavesOut { break rows }
        }
        exactColours = fits ? table : nil
        self.leavesOut = leavesOut
    }

    var histogram: ColourHistogram {
        var histogram = ColourHistogram()
        var drawn = [PackedColour](repeating: .transparent, count: area.columns.count)
        for y in area.rows {
            for (column, x) in area.columns.enumerated() {
                let place = y &* canvas.width &+ x
                drawn[column] = draws(place) ? canvas.pixels[place] : .transparent
            }
            drawn.withUnsafeBufferPointer { histogram.add($0) }
        }
        return histogram
    }

    /// Numbers in a palette that has all the colours; the transparent one for pixels that are not drawn.
    func exactNumbers(in palette: IndexedPalette) -> [UInt8] {
        var numbers = [UInt8](repeating: palette.transparent ?? 0, count: area.count)
        var last = PackedColour.transparent
        var number: UInt8 = 0
        var index = 0
        for y in area.rows {
            for x in area.columns {
                defer { index += 1 }
                let place = y &* canvas.width &+ x
                guard draws(place) else { continue }
                let pixel = canvas.pixels[place]
                if pixel != last {
                    last = pixel
                    number = palette.exactNumber(pixel)
                }
                numbers[index] = number
            }
        }
        return numbers
    }
}
