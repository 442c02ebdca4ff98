import Formats
import JPEG

/// The resampling of an output, computed before decoding. The picture is resampled in stored orientation, so that only
/// the small result is rotated.
struct ResizePlan: Hashable {
    let source: PixelSize
    let orientation: Orientation
    /// The part to resample.
    let crop: Rectangle
    /// The size of the resampled part.
    let target: PixelSize
    /// The chroma sampling of a JPEG output whose planes are resampled and encoded directly. Nil if the output is made
    /// from interleaved pixels.
    var planes: ChromaSampling?

    /// - Parameter placement: relative to the upright picture.
    init(source: PixelSize, orientation: Orientation, _ placement: Placement) {
        self.source = source
        self.orientation = orientation
        crop = placement.crop.stored(orientation, in: source)
        target = orientation.swapsAxes ? placement.rendered.swapped : placement.rendered
    }

    /// Whether the samples are only copied.
    var isIdentity: Bool { source == target && crop == Rectangle(source) }

    /// Source pixels per output pixel along the axis that is reduced less.
    var reduction: Double { min(crop.width / Double(target.width), crop.height / Double(target.height)) }

    /// Returns the scale of a JPEG decode in eighths: the smallest scale at which the decoded size is at least the
    /// target's size times the `share` of that scale, or 8.
    func jpegScale(leaving share: (Int) -> Double) -> Int {
        JPEGFrame.scales.first { reduction * Double($0) >= 8 * share($0) } ?? 8
    }
}
