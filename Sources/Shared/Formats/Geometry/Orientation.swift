/// How stored rows and columns map to the upright picture. The raw values are the values of Exif's Orientation tag
/// (TIFF 6.0 §8, CIPA DC-008 4.6.4).
public enum Orientation: UInt8, Sendable, CaseIterable {
    case upright = 1
    case mirrored = 2
    case rotated180 = 3
    case flipped = 4
    case transposed = 5
    case rotated90Clockwise = 6
    case transversed = 7
    case rotated90CounterClockwise = 8

    /// Whether the upright picture has the stored height as its width.
    public var swapsAxes: Bool { rawValue >= 5 }

    /// Clockwise rotations by 0 to 3 quarter turns. `mirrors` contains the same rotations of the mirrored picture.
    private static let plain: [Orientation] = [.upright, .rotated90Clockwise, .rotated180, .rotated90CounterClockwise]
    private static let mirrors: [Orientation] = [.mirrored, .transversed, .flipped, .transposed]

    /// Returns this orientation followed by a clockwise rotation by quarter turns.
    public func rotated(clockwiseQuarters quarters: Int) -> Orientation {
        let circle = Self.plain.contains(self) ? Self.plain : Self.mirrors
        let index = circle.firstIndex(of: self)! + quarters
        return circle[(index % 4 + 4) % 4]
    }

    /// This orientation followed by an exchange of left and right.
    public var mirroredSideways: Orientation {
        if let quarters = Self.plain.firstIndex(of: self) { return Self.mirrors[(4 - quarters) % 4] }
        return Self.plain[(4 - Self.mirrors.firstIndex(of: self)!) % 4]
    }
}
