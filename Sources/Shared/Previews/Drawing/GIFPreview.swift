import Formats
import Support

/// The first image of an interlaced GIF after one of its passes, on the GIF's screen. Takes memory for the known rows
/// alone, a byte a pixel.
struct GIFPreview {
    private let drawing: PreviewDrawing
    private let reader: InterlacedGIFReader
    private let rows: KnownRows
    private let blockRows: Int

    /// Reads the passes up to `pass`.
    init(_ drawing: PreviewDrawing, pass: Int) throws {
        self.drawing = drawing
        let blockRows = InterlacedGIFReader.blocks[pass - 1]
        let rows = KnownRows(blockRows: blockRows)
        let reader = InterlacedGIFReader(limits: drawing.limits) { rows.take($0, $1, $2, size: $3) }
        var isWhole = false
        try drawing.forEachPiece { piece in
            reader.take(piece) { if $0.number >= pass { isWhole = true } }
            return !isWhole && !reader.isOver
        }
        guard isWhole else { throw PreviewFailure.damaged }
        self.blockRows = blockRows
        self.reader = reader
        self.rows = rows
    }

    func write(to output: any ByteSink) throws {
        let screen = reader.screen
        var palette = reader.palette
        var hidden = reader.transparent.map(Int.init)
        let isCovered =
            reader.left == 0 && reader.top == 0 && reader.size.width >= screen.width
            && reader.size.height >= screen.height
        if !isCovered, hidden == nil {
            guard palette.count < 3 * 256 else { throw PreviewFailure.noFreeColour }
            hidden = palette.count / 3
        }
        // Pixels behind the palette show as black, as in browsers.
        palette += [UInt8](repeating: 0, count: 3 * 256 - palette.count)
        let png = try PNGOutput(output, rowBytes: screen.width)
        // Eight bits, by palette.
        try png.writeHeader(screen, depth: 8, colourType: 3)
        try png.write("PLTE", palette)
        if let hidden { try png.write("tRNS", [UInt8](repeating: 255, count: hidden) + [0]) }
        let free = UInt8(hidden ?? 0)
        let bottom = min(reader.top + reader.size.height, screen.height)
        var y = 0
        while y < screen.height {
            try drawing.interruption.check()
            var row = [UInt8](repeating: free, count: screen.width)
            var count = 1
            if y >= reader.top, y < bottom {
                rows.draw(y - reader.top, at: reader.left, on: &row)
                count = min(blockRows - (y - reader.top) % blockRows, bottom - y)
            } else {
                count = (y < reader.top ? min(reader.top, screen.height) : screen.height) - y
            }
            try png.write(row: row, count: count)
            y += count
        }
        try png.finish()
    }
}

/// Each `blockRows`th row of the image, as indices of colours.
private final class KnownRows {
    private let blockRows: Int
    private var width = 0
    private var pixels: [UInt8] = []

    init(blockRows: Int) { self.blockRows = blockRows }

    func take(_ row: Int, _ column: Int, _ run: UnsafeRawBufferPointer, size: PixelSize) {
        // Rows in between belong to a later pass.
        guard row % blockRows == 0 else { return }
        if pixels.isEmpty {
            width = size.width
            // At most the pixels of the image, which the reader has checked against the limit.
            pixels = [UInt8](
                repeating: 0, count: width * ((size.height + blockRows - 1) / blockRows))
        }
        let start = row / blockRows * width + column
        for (place, pixel) in run.enumerated() { pixels[start + place] = pixel }
    }

    /// Lays the known row at or above `row` on a row of the screen, as far as that reaches.
    func draw(_ row: Int, at left: Int, on target: inout [UInt8]) {
        let start = row / blockRows * width
        for x in 0..<max(0, min(width, target.count - left)) { target[left + x] = pixels[start + x] }
    }
}
