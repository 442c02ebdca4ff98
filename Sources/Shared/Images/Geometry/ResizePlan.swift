import Formats
import JPEG

/// How one output is made: pure numbers, decided before anything is decoded, all of it as the picture is stored.
/// Resampling happens in the stored orientation, turning on the small result.
struct ResizePlan: Hashable {
    /// All of the picture.
    let source: PixelSize
    /// How rows and columns relate to the output.
    let orientation: Orientation
    /// The part that is resampled.
    let crop: Rectangle
    /// What it is resampled to.
    let target: PixelSize
    /// The chroma of a JPEG that its planes become without ever being pixels; nil for pixels.
    var planes: ChromaSampling?

    /// - Parameter placement: in the upright picture, as `orientation` makes it.
    init(source: PixelSize, orientation: Orientation, _ placement: Placement) {
        self.source = source
        self.orientation = orientation
        crop = placement.crop.stored(orientation, in: source)
        target = orientation.swapsAxes ? placement.rendered.swapped : placement.rendered
    }

    /// Whether the picture's samples are only copied.
    var isIdentity: Bool { source == target && crop == Rectangle(source) }

    /// Source pixels for each output pixel, along the axis that is reduced less.
    var reduction: Double { min(crop.width / Double(target.width), crop.height / Double(target.height)) }

    /// The eighths at which a JPEG is decoded: the smallest that leaves so many times the target's size to the resampler,
    /// else 8.
    func jpegScale(leaving share: Double) -> Int {
        JPEGFrame.scales.first { reduction * Double($0) >= 8 * share } ?? 8
    }
}
