import Formats
import Support

/// Encodes rows of 1 to 4 channels as a still GIF. The palette depends on the whole picture, so the rows are
/// collected.
///
/// Up to 256 colours, including transparency, are exact. More are reduced by `PaletteDesign` with error diffusion.
/// Metadata is not written, because browsers ignore it in GIFs.
final class GIFWriter: RowWriter {
    private let canvas: PackedCanvas
    private let channels: Int
    /// The background of translucent pixels; nil keeps their colour. Pixels with less than half opacity become
    /// transparent.
    private let background: RGB?
    private let effort: Int
    private let drain: ByteDrain
    private var y = 0

    init(size: PixelSize, channels: Int, options: EncodeOptions, into drain: ByteDrain) {
        canvas = PackedCanvas(width: size.width, height: size.height)
        self.channels = channels
        background = options.background
        effort = options.effort
        self.drain = drain
    }

    func write(_ row: UnsafePointer<UInt8>) {
        canvas.setRow(y, row, channels: channels, background: background)
        y += 1
    }

    func finish() throws {
        let area = CanvasArea(columns: 0..<canvas.width, rows: 0..<canvas.height)
        let output = GIFOutput(
            width: canvas.width, height: canvas.height, plays: 1, effort: effort, into: drain)
        try output.write(drawn(area))
        try output.finish()
    }

    private func drawn(_ area: CanvasArea) throws -> DrawnFrame {
        let picture = DrawnPixels(of: canvas, area)
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
            area, indices, palette, transparent: picture.skipsPixels ? palette.transparent : nil,
            on: PackedCanvas(width: canvas.width, height: canvas.height), delay: 0)
        // Viewers may use the size of a single frame as the picture's size.
        frame.grow(to: area)
        return frame
    }
}
