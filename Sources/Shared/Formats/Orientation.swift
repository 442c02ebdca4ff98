/// How stored rows and columns relate to the upright picture: the values of Exif's Orientation tag (TIFF 6.0 §8,
/// CIPA DC-008 4.6.4).
public enum Orientation: UInt8, Sendable, CaseIterable {
    case upright = 1
    case mirrored = 2
    case rotated180 = 3
    case flipped = 4
    case transposed = 5
    case rotated90Clockwise = 6
    case transversed = 7
    case rotated90CounterClockwise = 8

    /// Whether width and height change places on the way to the upright picture.
    public var swapsAxes: Bool { rawValue >= 5 }
}
