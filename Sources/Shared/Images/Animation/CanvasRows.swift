import Formats

/// The rows of one frame of an animation, while the frame is there.
final class CanvasRows: RowReader {
    let size: PixelSize
    var layout: RowLayout { .rgba }
    /// The animation's, which knows it.
    var profile: [UInt8]? { nil }
    private let pixels: UnsafePointer<UInt8>
    private var y = 0

    init(_ frame: AnimationFrame, size: PixelSize) {
        pixels = frame.pixels
        self.size = size
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) {
        row.update(from: pixels + y * size.width * 4, count: size.width * 4)
        y += 1
    }

    func finish() {}
}
