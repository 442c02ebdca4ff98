/// The errors that an animated GIF of a given quality may have.
///
/// Errors are squared distances in sRGB, multiplied by `weight`. With these constants, most resized animations are
/// smaller than the output of gifsicle (`-O3 --resize-method mix`), at a higher mean SSIM (`scripts/bench animations`).
struct GIFLoss {
    /// The mean error that a palette may have. 0.8 is the highest error without visible bands or noise.
    let paletteError: Double
    private let mostMargin: Double

    /// The quality at which `paletteError` is 0.8 and `mostMargin` is 2.5. Tolerated distances are proportional to 100
    /// minus the quality, so a quality of 100 has no loss.
    private static let standardQuality = 82.0

    init(quality: Int) {
        let scale = Double(100 - quality) / (100 - Self.standardQuality)
        paletteError = 0.8 * scale * scale
        mostMargin = 2.5 * scale
    }

    /// The tolerated distance between a pixel's colour and its displayed colour, in addition to the distance of the
    /// nearest palette colour.
    struct Margin {
        /// For a pixel that is not drawn. Drawing a change smaller than the palette's error would only replace one
        /// error with another.
        let steadiness: Double
        /// For a drawn pixel, which may get another palette colour if the data is then shorter.
        let variation: Double
    }

    /// - Parameter error: the mean error of the palette.
    func margin(_ error: Double) -> Margin {
        let distance = min(max(error, paletteError).squareRoot(), mostMargin)
        return Margin(steadiness: distance * 1.8, variation: distance * 0.6)
    }

    /// Returns the tolerated squared distance between a pixel's colour and its displayed colour.
    ///
    /// - Parameters:
    ///   - distance: the squared distance of the nearest palette colour.
    ///   - margin: the additional distance that is tolerated in a uniform area.
    @inline(__always) static func limit(_ distance: Int, _ margin: Double, contrast: Int) -> Int {
        let visible = 1 + Double(contrast) / Double(visibleContrast)
        let limit = Double(distance).squareRoot() + margin * visible.squareRoot()
        return Int(limit * limit)
    }

    // MARK: Contrast

    /// The contrast that makes an error half as visible as in a uniform area. SSIM divides the error by the local
    /// variance plus a constant of about this size (Wang et al., 2004: C2 = 58.5).
    private static let visibleContrast = 64
    /// The weight of an error in a uniform area.
    static let fullWeight = 64

    /// Returns the weight of an error at a contrast, 1 to `fullWeight`: the less visible the error, the lower the
    /// weight.
    @inline(__always) static func weight(contrast: Int) -> Int {
        max(fullWeight &* visibleContrast / (visibleContrast &+ contrast), 1)
    }

    /// Returns the mean squared difference in luma between a pixel and its neighbours on the left and above.
    ///
    /// - Parameter above: the row above; nil for the first row.
    @inline(__always) static func contrast(
        _ row: UnsafePointer<PackedColour>, above: UnsafePointer<PackedColour>?, _ x: Int
    ) -> Int {
        let luma = luma(row[x])
        let left = x > 0 ? luma &- Self.luma(row[x - 1]) : 0
        let up = above.map { luma &- Self.luma($0[x]) } ?? 0
        return (left &* left &+ up &* up) / 2
    }

    @inline(__always) private static func luma(_ colour: PackedColour) -> Int {
        (colour.red &* 5 &+ colour.green &* 9 &+ colour.blue &* 2) >> 4
    }
}
