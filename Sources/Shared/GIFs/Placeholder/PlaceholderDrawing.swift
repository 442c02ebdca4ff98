import Formats
import Images

/// The animation that stands in for a GIF: a dumbbell, and round it eight dots that light up one after the other.
///
/// Drawn of whole numbers alone, so that its bytes are the same everywhere. A few KB.
enum PlaceholderDrawing {
    /// What every plan's GIFs have at least.
    static let side = 180
    /// Names the bytes in the key of the cache; to be raised when they change.
    static let edition = "dumbbell;v1"

    private static let ground: [Int] = [244, 245, 247]
    private static let ink: [Int] = [126, 136, 152]
    private static let dotRadius = 6
    /// Where the dots stand, from the middle, clockwise: the corners and edges of an octagon.
    private static let dots = [(0, -70), (49, -49), (70, 0), (49, 49), (0, 70), (-49, 49), (-70, 0), (-49, -49)]
    /// How much ink each dot has, from the one that is lit backwards, of 16.
    private static let shades = [16, 11, 7, 5, 3, 3, 3, 3]
    /// Bar and plates: left, top, width and height.
    private static let dumbbell = [
        (58, 86, 64, 8), (50, 74, 8, 32), (60, 66, 10, 48), (110, 66, 10, 48), (122, 74, 8, 32),
    ]
    /// A turn a second, about.
    private static let delay = 120

    static func gif() throws -> [UInt8] {
        try encodeAnimation(dots.indices.map(frame), delay: delay, EncodeOptions(format: .gif))
    }

    private static func frame(lit: Int) -> PixelBuffer {
        var picture = PixelBuffer(
            size: PixelSize(width: side, height: side), filledWith: ground.map { UInt8($0) })
        for (left, top, width, height) in dumbbell {
            for y in top..<top + height {
                for x in left..<left + width { lay(16, of: 16, x, y, on: &picture) }
            }
        }
        for (index, dot) in dots.enumerated() {
            let shade = shades[(lit - index + dots.count) % dots.count]
            drawDot(side / 2 + dot.0, side / 2 + dot.1, shade, on: &picture)
        }
        return picture
    }

    private static func drawDot(_ centreX: Int, _ centreY: Int, _ shade: Int, on picture: inout PixelBuffer) {
        for y in centreY - dotRadius - 1...centreY + dotRadius + 1 {
            for x in centreX - dotRadius - 1...centreX + dotRadius + 1 {
                // Two by two samples a pixel keep the edge smooth at few colours.
                var inside = 0
                for (dx, dy) in [(-1, -1), (1, -1), (-1, 1), (1, 1)] {
                    let (fromX, fromY) = (4 * (x - centreX) + dx, 4 * (y - centreY) + dy)
                    if fromX * fromX + fromY * fromY <= 16 * dotRadius * dotRadius { inside += 1 }
                }
                if inside > 0 { lay(shade * inside, of: 64, x, y, on: &picture) }
            }
        }
    }

    /// Mixes that share of ink with the ground.
    private static func lay(_ share: Int, of whole: Int, _ x: Int, _ y: Int, on picture: inout PixelBuffer) {
        for channel in 0..<3 {
            let mixed = (ground[channel] * (whole - share) + ink[channel] * share + whole / 2) / whole
            picture.bytes[(y * side + x) * 3 + channel] = UInt8(mixed)
        }
    }
}
