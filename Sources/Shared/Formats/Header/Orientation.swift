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

extension Orientation {
    /// The orientation of a picture whose upright form is turned clockwise once more, by quarters.
    public func rotated(clockwiseQuarters quarters: Int) -> Orientation {
        // Each turned by 90 degrees gives its successor; a mirrored picture stays one.
        let plain: [Orientation] = [.upright, .rotated90Clockwise, .rotated180, .rotated90CounterClockwise]
        let mirrored: [Orientation] = [.mirrored, .transversed, .flipped, .transposed]
        let circle = plain.contains(self) ? plain : mirrored
        let index = circle.firstIndex(of: self)! + quarters
        return circle[(index % 4 + 4) % 4]
    }
}
