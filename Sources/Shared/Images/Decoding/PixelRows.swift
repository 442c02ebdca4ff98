import Formats

/// Reads rows of pixels in memory, packed from the top. The caller owns the pixels.
final class PixelRows: RowReader {
    let size: PixelSize
    let layout: RowLayout
    private var next: UnsafePointer<UInt8>

    init(_ pixels: UnsafePointer<UInt8>, size: PixelSize, channels: Int) {
        next = pixels
        self.size = size
        layout = RowLayout(channels: channels)
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) {
        let count = size.width * layout.channels
        row.update(from: next, count: count)
        next += count
    }

    func finish() {}
}
