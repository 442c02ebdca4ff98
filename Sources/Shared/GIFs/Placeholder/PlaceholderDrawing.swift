import Formats
import Images

/// Draws the built-in placeholder: a dumbbell in a circle of eight dots that light up in turn.
///
/// Uses only integers, so the bytes are the same on all machines. The GIF has a few KB.
enum PlaceholderDrawing {
    /// The width and height in pixels: the size of `Resolution.standard`, which every ExerciseDB plan includes.
    static let side = 180
    /// The part of the cache key that identifies the version of the output. Change it whenever the output changes.
    static let variantOptions = "dumbbell;v1"

    private static let ground: [Int] = [244, 245, 247]
    private static let ink: [Int] = [126, 136, 152]
    private static let dotRadius = 6
    /// The centres of the dots relative to the centre of the picture, clockwise. They are the corners of an octagon.
    private static let dots = [(0, -70), (49, -49), (70, 0), (49, 49), (0, 70), (-49, 49), (-70, 0), (-49, -49)]
    /// The share of ink in each dot, in sixteenths. The first dot is the lit dot, and the others follow
    /// counterclockwise.
    private static let shades = [16, 11, 7, 5, 3, 3, 3, 3]
    /// The bar and the plates, each as left, top, width and height.
    private static let dumbbell = [
        (58, 86, 64, 8), (50, 74, 8, 32), (60, 66, 10, 48), (110, 66, 10, 48), (122, 74, 8, 32),
    ]
    /// The delay per frame in milliseconds: about one turn per second.
    private static let delay = 120

    static func gif() throws -> [UInt8] {
        try encodeAnimation(dots.indices.map(frame), delay: delay, EncodeOptions(format: .gif))
    }

    private static func frame(lit: Int) -> PixelBuffer {
        var picture = PixelBuffer(size: PixelSize(width: side, height: side), filledWith: ground.map { UInt8($0) })
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
                // Four samples per pixel (2 x 2) smooth the edge, and add only few colours.
                var inside = 0
                for (dx, dy) in [(-1, -1), (1, -1), (-1, 1), (1, 1)] {
                    let (fromX, fromY) = (4 * (x - centreX) + dx, 4 * (y - centreY) + dy)
                    if fromX * fromX + fromY * fromY <= 16 * dotRadius * dotRadius { inside += 1 }
                }
                if inside > 0 { lay(shade * inside, of: 64, x, y, on: &picture) }
            }
        }
    }

    /// Sets a pixel to a mixture of `ink` and `ground`. The share of `ink` is `share / whole`.
    private static func lay(_ share: Int, of whole: Int, _ x: Int, _ y: Int, on picture: inout PixelBuffer) {
        for channel in 0..<3 {
            let mixed = (ground[channel] * (whole - share) + ink[channel] * share + whole / 2) / whole
            picture.bytes[(y * side + x) * 3 + channel] = UInt8(mixed)
        }
    }
}
