import Formats
import Support

/// Encodes rows of 1 to 4 channels as a still GIF. The palette depends on the whole picture, so the rows are
/// collected.
///
/// Up to 256 colours, including transparency, are exact. For more colours, `PaletteDesign` chooses a palette, and error
/// diffusion approximates the picture. Metadata is not written, because browsers ignore metadata in GIFs.
final class GIFWriter: RowWriter {
    private let canvas: PackedCanvas
    private let channels: Int
    private let options: EncodeOptions
    private let drain: EncoderOutput
    private var y = 0

    init(size: PixelSize, channels: Int, options: EncodeOptions, into drain: EncoderOutput) {
        canvas = PackedCanvas(size)
        self.channels = channels
        self.options = options
        self.drain = drain
    }

    func write(_ row: UnsafePointer<UInt8>) {
        canvas.setRow(y, row, channels: channels, background: options.background)
        y += 1
    }

    func finish() throws {
        let output = GIFOutput(size: canvas.size, plays: 1, effort: options.effort, into: drain)
        try output.write(drawn())
        try output.finish()
    }

    private func drawn() throws -> DrawnFrame {
        let picture = DrawnPixels(of: canvas, canvas.whole)
        let palette: IndexedPalette
        let indices: [UInt8]
        if let exact = picture.exactColours, exact.colours.count < 256 || !picture.skipsPixels {
            palette = IndexedPalette(exact: exact)
            indices = picture.exactIndices(in: palette)
        } else {
            palette = IndexedPalette(picture.histogram, hasTransparent: picture.skipsPixels)
            indices = try Dithering.errorDiffusion.indices(of: picture, in: palette, checking: drain)
        }
        var frame = DrawnFrame(
            canvas.whole, indices, palette, transparent: picture.skipsPixels ? palette.transparent : nil,
            on: PackedCanvas(canvas.size), delay: 0)
        // Viewers may use the size of a single frame as the picture's size.
        frame.grow(to: canvas.whole)
        return frame
    }
}
