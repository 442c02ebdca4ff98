import Formats

/// Reads opaque RGBA pixels in memory as RGB rows, because RGB is resampled several times faster. The caller owns the
/// pixels.
final class OpaqueRows: RowReader {
    let size: PixelSize
    var layout: RowLayout { .rgb }
    private var next: UnsafePointer<UInt8>

    init(_ pixels: UnsafePointer<UInt8>, size: PixelSize) {
        next = pixels
        self.size = size
    }

    /// Whether all pixels are opaque.
    static func covers(_ pixels: UnsafePointer<UInt8>, _ size: PixelSize) -> Bool {
        for y in 0..<size.height {
            let row = pixels + y * size.width * 4
            var all: UInt8 = 255
            for x in 0..<size.width { all &= row[x * 4 + 3] }
            if all != 255 { return false }
        }
        return true
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) {
        for x in 0..<size.width {
            let (sample, pixel) = (row + x * 3, next + x * 4)
            (sample[0], sample[1], sample[2]) = (pixel[0], pixel[1], pixel[2])
        }
        next += size.width * 4
    }

    func finish() {}
}
