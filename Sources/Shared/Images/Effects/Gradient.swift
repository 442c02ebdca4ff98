/// A black gradient over a picture, darkest at the bottom edge, which makes white text readable.
public enum Gradient: String, Sendable, Hashable, CaseIterable {
    case none
    /// Over the whole height.
    case standard
    /// Over the lower half.
    case enhanced

    /// Returns the opacity of black, 0...1, at the middle of a row.
    ///
    /// Let `t = (height − row − ½) / height`, the distance from the bottom edge (0) to the top edge (1), and `s = 3t`
    /// (`standard`) or `s = 6t` (`enhanced`). The opacity is linear in `s` between the stops 0.8 at 0, 0.5 at 1, 0.2 at
    /// 2 and 0 from 3 on.
    ///
    /// - Parameter row: from the top, in `0..<height`.
    public func alpha(row: Int, height: Int) -> Double {
        let fromBottom = (Double(height - row) - 0.5) / Double(height)
        let step: Double
        switch self {
        case .none: return 0
        case .standard: step = fromBottom * 3
        case .enhanced: step = fromBottom * 6
        }
        // The first two of the three segments have the same slope.
        return step < 2 ? 0.8 - 0.3 * step : max(0.2 - 0.2 * (step - 2), 0)
    }

    /// Composes black over row `y` of a picture of `height` rows: Porter and Duff's `over` with straight alpha, each
    /// sample rounded to the nearest level. Rows without black cost nothing.
    ///
    /// - Parameter row: `width` pixels of `channels` samples: 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha.
    func apply(row y: Int, of height: Int, to row: UnsafeMutablePointer<UInt8>, channels: Int, width: Int) {
        let alpha = alpha(row: y, height: height)
        guard alpha > 0 else { return }
        if channels == 1 || channels == 3 {
            let factor = fixedPoint(1 - alpha)
            for i in 0..<width * channels { row[i] = scaled(row[i], by: factor) }
        } else {
            layOver(row, alpha, channels: channels, width: width)
        }
    }

    /// Black of opacity a over a pixel of opacity p gives the opacity r = a + p(1 − a), and multiplies the colour by
    /// p(1 − a) / r.
    private func layOver(_ row: UnsafeMutablePointer<UInt8>, _ alpha: Double, channels: Int, width: Int) {
        // Neighbours mostly have the same opacity, so the factor is cached.
        var below: UInt8 = 255
        var opacity: UInt8 = 255
        var factor = fixedPoint(1 - alpha)
        var pixel = row
        for _ in 0..<width {
            if pixel[channels - 1] != below {
                below = pixel[channels - 1]
                let shining = Double(below) / 255 * (1 - alpha)
                opacity = UInt8(((alpha + shining) * 255).rounded())
                factor = fixedPoint(shining / (alpha + shining))
            }
            for c in 0..<channels - 1 { pixel[c] = scaled(pixel[c], by: factor) }
            pixel[channels - 1] = opacity
            pixel += channels
        }
    }
}

/// Converts a factor, 0...1, to fixed point with 23 fractional bits. Its product with 255 fits 32 bits, with an error
/// below 0.00002.
private func fixedPoint(_ factor: Double) -> UInt32 { UInt32((factor * 0x80_0000).rounded()) }

private func scaled(_ sample: UInt8, by factor: UInt32) -> UInt8 {
    UInt8(truncatingIfNeeded: (UInt32(sample) &* factor &+ 0x40_0000) >> 23)
}
