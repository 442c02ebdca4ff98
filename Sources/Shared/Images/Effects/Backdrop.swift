import Formats

/// The background for `ContentMode.contain`: around the picture and behind its transparent pixels.
public enum Backdrop: Sendable, Hashable {
    case colour(RGB)
    /// The picture itself, blurred and scaled to cover the output.
    case blur
    /// The dominant colour of the picture.
    case dominant
}

/// Computes the rows of a backdrop by enlarging a very small picture to the output's size.
struct BackdropRows {
    /// Opaque RGB.
    private let small: PixelBuffer
    private let size: PixelSize

    /// The longer side of the small picture in pixels. A blurred picture has no finer detail.
    private static let detail = 24

    /// - Parameter picture: the foreground.
    init(_ backdrop: Backdrop, of picture: PixelBuffer, size: PixelSize) {
        self.size = size
        switch backdrop {
        case .colour(let colour): small = Self.pixel(colour)
        case .dominant: small = Self.pixel(DominantColour.of(picture.averaged(atMost: 100).rgba))
        case .blur:
            let coarse = picture.averaged(atMost: Self.detail).rgba
            let middle = coarse.middle(width: size.width, height: size.height)
            small = middle.opaque(on: DominantColour.of(coarse)).softened
        }
    }

    private static func pixel(_ colour: RGB) -> PixelBuffer {
        PixelBuffer(size: PixelSize(width: 1, height: 1), filledWith: [colour.red, colour.green, colour.blue])
    }

    /// Writes row `y` with `channels` (3 or 4) samples per pixel, interpolated between the small picture's four
    /// nearest pixels.
    func write(_ y: Int, to row: UnsafeMutablePointer<UInt8>, channels: Int) {
        let (above, below, down) = Self.neighbours(y, of: size.height, among: small.size.height)
        for x in 0..<size.width {
            let (left, right, across) = Self.neighbours(x, of: size.width, among: small.size.width)
            for c in 0..<3 {
                func level(_ column: Int, _ line: Int) -> Float {
                    Float(small.bytes[(line * small.size.width + column) * 3 + c])
                }
                let upper = level(left, above) + (level(right, above) - level(left, above)) * across
                let lower = level(left, below) + (level(right, below) - level(left, below)) * across
                row[x * channels + c] = UInt8((upper + (lower - upper) * down).rounded())
            }
            if channels == 4 { row[x * 4 + 3] = 255 }
        }
    }

    /// Returns the two positions in the small picture that enclose a position of the output, and the weight of the
    /// second position.
    private static func neighbours(_ place: Int, of count: Int, among places: Int) -> (Int, Int, Float) {
        let exact = min(max((Float(place) + 0.5) / Float(count) * Float(places) - 0.5, 0), Float(places - 1))
        let first = Int(exact)
        return (first, min(first + 1, places - 1), exact - Float(first))
    }
}

extension PixelBuffer {
    /// Returns the largest centred part with this aspect ratio, at least 1 x 1 pixel.
    fileprivate func middle(width: Int, height: Int) -> PixelBuffer {
        let shape = Double(width) / Double(height)
        let columns = max(Int(min(Double(size.width), Double(size.height) * shape).rounded()), 1)
        let lines = max(Int(min(Double(size.height), Double(size.width) / shape).rounded()), 1)
        let (left, top) = ((size.width - columns) / 2, (size.height - lines) / 2)
        var part: [UInt8] = []
        for y in top..<top + lines {
            let start = (y * size.width + left) * channels
            part += bytes[start..<start + columns * channels]
        }
        return PixelBuffer(size: PixelSize(width: columns, height: lines), channels: channels, bytes: part)
    }

    /// Composes an RGBA picture over a colour, and returns an RGB picture.
    fileprivate func opaque(on colour: RGB) -> PixelBuffer {
        let ground = [colour.red, colour.green, colour.blue]
        var three: [UInt8] = []
        for pixel in stride(from: 0, to: bytes.count, by: 4) {
            let alpha = Int(bytes[pixel + 3])
            for c in 0..<3 {
                three.append(UInt8((Int(bytes[pixel + c]) * alpha + Int(ground[c]) * (255 - alpha) + 127) / 255))
            }
        }
        return PixelBuffer(size: size, channels: 3, bytes: three)
    }

    /// Applies a box blur of 5 x 5 pixels twice.
    fileprivate var softened: PixelBuffer {
        var soft = self
        for _ in 0..<2 {
            let sharp = soft
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let rows = max(y - 2, 0)...min(y + 2, size.height - 1)
                    let columns = max(x - 2, 0)...min(x + 2, size.width - 1)
                    for c in 0..<3 {
                        var sum = 0
                        for line in rows {
                            for column in columns { sum += Int(sharp.bytes[(line * size.width + column) * 3 + c]) }
                        }
                        let count = rows.count * columns.count
                        soft.bytes[(y * size.width + x) * 3 + c] = UInt8((sum + count / 2) / count)
                    }
                }
            }
        }
        return soft
    }
}
