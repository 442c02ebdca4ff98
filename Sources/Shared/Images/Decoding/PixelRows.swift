import Formats

/// The rows of pixels that are in memory.
final class PixelRows: RowReader {
    let layout: RowLayout
    var size: PixelSize { pixels.size }
    var profile: [UInt8]? { nil }
    private let pixels: PixelBuffer
    private var y = 0

    init(_ pixels: PixelBuffer) {
        self.pixels = pixels
        layout = RowLayout(channels: pixels.channels)
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) {
        let count = size.width * pixels.channels
        pixels.bytes.withUnsafeBufferPointer { row.update(from: $0.baseAddress! + y * count, count: count) }
        y += 1
    }

    func finish() {}
}
