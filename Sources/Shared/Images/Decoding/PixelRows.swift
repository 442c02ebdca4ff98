import Formats

/// Reads pixels in memory, stored as rows from the top without gaps. The caller owns the pixels.
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
