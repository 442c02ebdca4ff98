import Formats
import Support

/// Draws the first image of an interlaced GIF after a pass, on the GIF's screen. Keeps the decoded rows in memory, one
/// byte per pixel.
struct GIFPreview {
    private let drawing: PreviewDrawing
    private let reader: InterlacedGIFReader
    private let known = KnownRows()
    private let blockRows: Int

    /// Rows with the width of the screen: first an empty row, which is drawn above and below the image, then every
    /// `blockRows`th row of the image, clipped to the screen.
    private final class KnownRows { var pixels: [UInt8] = [] }

    init(_ drawing: PreviewDrawing, pass: Int) throws {
        self.drawing = drawing
        let blockRows = InterlacedGIFReader.passes[pass - 1].block
        let reader = InterlacedGIFReader(limits: drawing.limits) { [known] reader, row, column, run in
            // Ignores rows of later passes, and rows below the screen. The reader has checked the size of the screen.
            guard row % blockRows == 0, row < reader.screen.height else { return }
            let width = reader.screen.width
            if known.pixels.isEmpty {
                let rows = 1 + (min(reader.size.height, reader.screen.height) + blockRows - 1) / blockRows
                known.pixels = [UInt8](repeating: UInt8(reader.free ?? 0), count: width * rows)
            }
            let left = reader.left + column
            let start = (1 + row / blockRows) * width + left
            for place in 0..<max(0, min(run.count, width - left)) { known.pixels[start + place] = run[place] }
        }
        var isWhole = false
        try drawing.forEachPiece { piece in
            reader.take(piece) { if $0.number >= pass { isWhole = true } }
            return !isWhole && !reader.isOver
        }
        guard isWhole else { throw PreviewFailure.damaged }
        self.blockRows = blockRows
        self.reader = reader
    }

    func write(to output: any ByteSink) throws {
        let screen = reader.screen
        if !reader.coversScreen, reader.free == nil { throw PreviewFailure.noFreeColour }
        let png = try PNGOutput(output)
        // Indexed, 8 bits per pixel. Colours beyond the palette are black, as in browsers.
        try png.writeHeader(screen, depth: 8, colourType: 3)
        try png.write("PLTE", reader.palette + [UInt8](repeating: 0, count: 3 * 256 - reader.palette.count))
        if let free = reader.free { try png.write("tRNS", [UInt8](repeating: 255, count: free) + [0]) }
        try png.finish(screen.height, of: known.pixels, rowBytes: screen.width) { y in
            try drawing.interruption.check()
            return (0..<reader.size.height).contains(y - reader.top) ? 1 + (y - reader.top) / blockRows : 0
        }
    }
}
