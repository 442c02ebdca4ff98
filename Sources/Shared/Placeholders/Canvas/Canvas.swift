import Formats
import Images

/// A rectangle of whole pixels.
struct PixelRect: Sendable, Hashable {
    var x: Int, y: Int
    var width: Int, height: Int

    var maxX: Int { x + width }
    var maxY: Int { y + height }

    func contains(_ other: PixelRect) -> Bool {
        other.x >= x && other.y >= y && other.maxX <= maxX && other.maxY <= maxY
    }

    func intersection(_ other: PixelRect) -> PixelRect {
        let (left, top) = (max(x, other.x), max(y, other.y))
        return PixelRect(
            x: left, y: top, width: max(0, min(maxX, other.maxX) - left), height: max(0, min(maxY, other.maxY) - top))
    }
}

/// An opaque RGB picture, with functions that draw shapes and pictures.
struct Canvas {
    let size: PixelSize
    private var bytes: [UInt8]

    /// Creates a canvas from the colour of each row. Copies the previous row if the colour is the same. O(pixels).
    init(size: PixelSize, _ colour: (_ row: Int) -> RGB) {
        self.size = size
        let stride = size.width * 3
        bytes = [UInt8](unsafeUninitializedCapacity: stride * size.height) { buffer, initialized in
            var drawn: RGB?
            for y in 0..<size.height {
                let row = buffer.baseAddress! + y * stride
                let colour = colour(y)
                if colour == drawn {
                    row.update(from: row - stride, count: stride)
                } else {
                    for x in 0..<size.width {
                        (row[3 * x], row[3 * x + 1], row[3 * x + 2]) = (colour.red, colour.green, colour.blue)
                    }
                }
                drawn = colour
            }
            initialized = stride * size.height
        }
    }

    var bounds: PixelRect { PixelRect(x: 0, y: 0, width: size.width, height: size.height) }
    var pixels: PixelBuffer { PixelBuffer(size: size, channels: 3, bytes: bytes) }

    /// Blends a colour over `rect`, which must be empty or within the bounds. `coverage` returns the opacity of a
    /// pixel, 0 to 255.
    mutating func blend(_ color: RGB, in rect: PixelRect, coverage: (_ x: Int, _ y: Int) -> Int) {
        guard rect.width > 0, rect.height > 0 else { return }
        precondition(bounds.contains(rect))
        let stride = size.width * 3
        bytes.withUnsafeMutableBufferPointer { buffer in
            for y in rect.y..<rect.maxY {
                var offset = y * stride + rect.x * 3
                for x in rect.x..<rect.maxX {
                    let share = coverage(x, y)
                    if share > 0 {
                        buffer[offset] = Self.mixed(buffer[offset], color.red, share)
                        buffer[offset + 1] = Self.mixed(buffer[offset + 1], color.green, share)
                        buffer[offset + 2] = Self.mixed(buffer[offset + 2], color.blue, share)
                    }
                    offset += 3
                }
            }
        }
    }

    /// Draws a picture, which must be within the bounds, with its top left corner at `x`, `y`.
    mutating func draw(_ picture: PixelBuffer, x left: Int, y top: Int) {
        precondition(
            bounds.contains(PixelRect(x: left, y: top, width: picture.size.width, height: picture.size.height)))
        let channels = picture.channels
        for y in 0..<picture.size.height {
            for x in 0..<picture.size.width {
                let pixel = (y * picture.size.width + x) * channels
                let share = picture.hasAlpha ? Int(picture.bytes[pixel + channels - 1]) : 255
                let target = ((top + y) * size.width + left + x) * 3
                for c in 0..<3 {
                    let sample = picture.bytes[pixel + (channels < 3 ? 0 : c)]
                    bytes[target + c] = Self.mixed(bytes[target + c], sample, share)
                }
            }
        }
    }

    private static func mixed(_ below: UInt8, _ above: UInt8, _ share: Int) -> UInt8 {
        UInt8((Int(below) * (255 - share) + Int(above) * share + 127) / 255)
    }
}
