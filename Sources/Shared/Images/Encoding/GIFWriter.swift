import Formats
import Support

/// Encodes rows of 1 to 4 channels as a GIF of one frame. A palette needs the whole picture, so the rows are gathered.
///
/// Up to 256 colours, the transparent one among them, are kept as they are; more are chosen by `PaletteDesign` and
/// mixed by error diffusion. Metadata is not written, as browsers read none of a GIF.
final class GIFWriter: RowWriter {
    private let canvas: PackedCanvas
    private let channels: Int
    /// What half-transparent pixels are laid on; those below one half are transparent.
    private let background: RGB
    private let drain: ByteDrain
    private let interruption = Interruption()
    private var y = 0

    init(size: PixelSize, channels: Int, options: EncodeOptions, into drain: ByteDrain) {
        canvas = PackedCanvas(width: size.width, height: size.height)
        self.channels = channels
        background = options.background
        self.drain = drain
    }

    func write(_ row: UnsafePointer<UInt8>) {
        canvas.setRow(y, row, channels: channels, background: background)
        y += 1
    }

    func finish() throws {
        let area = CanvasArea(columns: 0..<canvas.width, rows: 0..<canvas.height)
        let picture = DrawnPixels(of: canvas, area)
        let palette: IndexedPalette
        var numbers: [UInt8]
        if let exact = picture.exactColours, exact.colours.count < 256 || !picture.leavesOut {
            palette = IndexedPalette(exact: exact)
            numbers = picture.exactNumbers(in: palette)
        } else {
            palette = IndexedPalette(picture.histogram, hasTransparent: picture.leavesOut)
            numbers = try Dithering.errorDiffusion.numbers(
                of: picture, in: palette, checking: interruption)
        }
        let output = try GIFOutput(width: canvas.width, height: canvas.height, palette: palette, plays: 1, into: drain)
        let control = GIFOutput.Control(
            delay: 0, clearsAfterwards: false, transparent: picture.leavesOut ? palette.transparent : nil)
        try output.writeFrame(area, &numbers, palette: nil, control, checking: interruption)
        try output.finish()
    }
}
