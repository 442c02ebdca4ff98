import Formats
import Libc

/// Corners cut off along quarter circles, with antialiased edges.
public struct RoundedCorners: Sendable, Hashable {
    public let size: PixelSize
    /// In pixels, from 0 to half the shorter side.
    public let radius: Double

    /// - Parameter radius: in pixels, possibly fractional. Clamped to the range from 0 to half the shorter side.
    public init(radius: Double, size: PixelSize) {
        self.size = size
        // NaN becomes 0.
        self.radius = radius > 0 ? min(radius, Double(min(size.width, size.height)) / 2) : 0
    }

    /// Whether a row, counted from the top, contains pixels of a corner.
    public func touches(row y: Int) -> Bool { Double(min(y, size.height - 1 - y)) < radius }

    /// Returns the coverage of a pixel, 0...255: the exact area of the pixel inside the outline, rounded. The four
    /// mirrored pixels have equal coverage.
    public func coverage(x: Int, y: Int) -> UInt8 {
        let (right, bottom) = (size.width - 1 - x, size.height - 1 - y)
        // A pixel in the middle of a side may be cut by two corners. This order of addition gives mirrored pixels equal
        // sums.
        let cut = (cutOff(x, y) + cutOff(right, y)) + (cutOff(x, bottom) + cutOff(right, bottom))
        return UInt8(((1 - min(max(cut, 0), 1)) * 255).rounded())
    }

    /// Multiplies the alpha of row `y` by the coverage. Costs nothing for rows without corner pixels.
    ///
    /// - Parameters:
    ///   - row: `size.width` pixels of `channels` samples, straight alpha last.
    ///   - channels: 2 or 4.
    func apply(row y: Int, to row: UnsafeMutablePointer<UInt8>, channels: Int) {
        guard touches(row: y) else { return }
        for x in 0..<(size.width + 1) / 2 where Double(x) < radius {
            let coverage = coverage(x: x, y: y)
            // The coverage grows towards the middle.
            if coverage == 255 { return }
            multiply(row + x * channels + channels - 1, by: coverage)
            let mirrored = size.width - 1 - x
            if mirrored != x { multiply(row + mirrored * channels + channels - 1, by: coverage) }
        }
    }

    private func multiply(_ alpha: UnsafeMutablePointer<UInt8>, by coverage: UInt8) {
        alpha.pointee = UInt8((Int(alpha.pointee) * Int(coverage) + 127) / 255)
    }

    /// Returns the area, 0...1, that the top left corner cuts from a pixel.
    ///
    /// Let u and v be the distances of a point to the left of and above the circle's centre, which is `radius` from
    /// both edges. The outline is at v = √(r² − u²). The pixel extends from `near` to `far` in u, and from `low` to
    /// `high` in v. With increasing u, the columns of the pixel are first inside the outline, then partly inside (after
    /// the outline falls below `high`), and finally outside (after the outline falls below `low`).
    private func cutOff(_ x: Int, _ y: Int) -> Double {
        let far = radius - Double(x)
        let high = radius - Double(y)
        guard far > 0, high > 0 else { return 0 }
        let near = max(far - 1, 0)
        let low = high - 1
        let cutFrom = min(max(height(at: high), near), far)
        let goneFrom = low > 0 ? min(max(height(at: low), cutFrom), far) : far
        // In a column that is partly inside, the missing part is `high` minus the outline.
        let lacking = high * (goneFrom - cutFrom) - (area(to: goneFrom) - area(to: cutFrom))
        return lacking + (far - goneFrom)
    }

    /// √(r² − u²), for u in 0...r.
    private func height(at u: Double) -> Double { max((radius - u) * (radius + u), 0).squareRoot() }

    /// The area under the circle from 0 to u.
    private func area(to u: Double) -> Double {
        (u * height(at: u) + radius * radius * asin(min(u / radius, 1))) / 2
    }
}
