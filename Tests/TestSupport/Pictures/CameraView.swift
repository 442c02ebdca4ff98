/// The view of a fixed camera: a texture that gets new noise in a few pixels of each frame, and a square that moves.
public struct CameraView {
    public let width: Int
    public let height: Int
    /// RGBA.
    public let frames: [[UInt8]]

    /// - Parameters:
    ///   - noise: the maximum difference from the texture, in levels.
    ///   - noisyShare: the share of pixels that get new noise in each frame.
    public init(width: Int, height: Int, count: Int, noise: Int, noisyShare: Double) {
        self.width = width
        self.height = height
        var random = SeededRandom(seed: 5)
        var offsets = [Int](repeating: 0, count: width * height)
        frames = (0..<count).map { step in
            let square = Self.square(step)
            var pixels: [UInt8] = []
            pixels.reserveCapacity(width * height * 4)
            for y in 0..<height {
                for x in 0..<width {
                    if step == 0 || Double.random(in: 0..<1, using: &random) < noisyShare {
                        offsets[y * width + x] = Int.random(in: -noise...noise, using: &random)
                    }
                    let level = 40 + (x * 7 + y * 13) % 160 + offsets[y * width + x]
                    pixels +=
                        square.columns.contains(x) && square.rows.contains(y)
                        ? [200, 60, 50, 255] : [UInt8(level), UInt8(level + 10), UInt8(level + 20), 255]
                }
            }
            return pixels
        }
    }

    /// The place of the square in a frame.
    public static func square(_ step: Int) -> (columns: Range<Int>, rows: Range<Int>) {
        (10 + step * 3..<18 + step * 3, 8..<16)
    }
}
