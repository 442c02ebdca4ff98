import Formats

/// Maps the pixels of the upright picture to their stored positions (CIPA DC-008 4.6.4, Orientation).
struct StoredPosition {
    let upright: PixelSize
    /// The stored position of the upright picture's top left pixel, and the steps to its right and lower neighbours.
    let originX: Int, originY: Int
    let rightX: Int, rightY: Int
    let downX: Int, downY: Int

    init(orientation: Orientation, stored: PixelSize) {
        let lastX = stored.width - 1
        let lastY = stored.height - 1
        upright = orientation.swapsAxes ? stored.swapped : stored
        let (origin, right, down): ((Int, Int), (Int, Int), (Int, Int)) =
            switch orientation {
            case .upright: ((0, 0), (1, 0), (0, 1))
            case .mirrored: ((lastX, 0), (-1, 0), (0, 1))
            case .rotated180: ((lastX, lastY), (-1, 0), (0, -1))
            case .flipped: ((0, lastY), (1, 0), (0, -1))
            case .transposed: ((0, 0), (0, 1), (1, 0))
            case .rotated90Clockwise: ((0, lastY), (0, -1), (1, 0))
            case .transversed: ((lastX, lastY), (0, -1), (-1, 0))
            case .rotated90CounterClockwise: ((lastX, 0), (0, 1), (-1, 0))
            }
        (originX, originY) = origin
        (rightX, rightY) = right
        (downX, downY) = down
    }

    /// Returns the stored position of an upright pixel.
    func stored(x: Int, y: Int) -> (x: Int, y: Int) {
        (originX + x * rightX + y * downX, originY + x * rightY + y * downY)
    }

    /// Copies the stored pixels of `channels` samples, with rows `stride` bytes apart, in upright order. `destination`
    /// returns the address of an upright pixel by its row-major index; the rest of its row follows.
    func turn(
        from source: UnsafePointer<UInt8>, stride: Int, channels: Int,
        destination: (Int) -> UnsafeMutablePointer<UInt8>
    ) {
        let step = rightX &* channels &+ rightY &* stride
        for y in 0..<upright.height {
            var from = source + (originX + y * downX) * channels + (originY + y * downY) * stride
            var to = destination(y * upright.width)
            for _ in 0..<upright.width {
                for c in 0..<channels { to[c] = from[c] }
                to += channels
                from += step
            }
        }
    }
}
