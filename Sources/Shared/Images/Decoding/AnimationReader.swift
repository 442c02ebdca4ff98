import Formats

/// The frames of an animation in the order of display, each as the whole canvas that a viewer shows.
///
/// Memory is that of a few canvases, however many frames there are. Frames cannot be skipped: each is drawn on those
/// before it, so that frame N costs the N before it too, and nothing of those behind.
protocol AnimationReader: AnyObject {
    /// The canvas.
    var size: PixelSize { get }
    /// How many frames `nextFrame` gives, at least 1. Known before any is decoded.
    var frameCount: Int { get }
    /// How often the animation is shown: 0 for ever, 1 if the file asks for no repetition.
    ///
    /// WebP counts so. GIF stores the repetitions after the first showing, so that a stored 2 is 3 here, as browsers
    /// play it.
    var plays: Int { get }
    /// The ICC profile that the pixels are in; nil for sRGB.
    var profile: [UInt8]? { get }
    /// Whether damage in the frames so far was passed over.
    var isDamaged: Bool { get }
    /// Decodes the next frame; nil behind the last. Throws `ImageError`, `Cancelled`, and what the source throws.
    func nextFrame() throws -> AnimationFrame?
}

extension AnimationReader {
    var isDamaged: Bool { false }
}

/// A frame of an animation as it is shown.
struct AnimationFrame {
    /// Counted from 0.
    let index: Int
    /// How long it is shown, in milliseconds, as it is stored: 0 and 10 as well, which browsers play as 100.
    let delay: Int
    /// The canvas: rows from the top without gaps, R, G, B and straight alpha. Valid until the reader is asked for the
    /// next frame, or goes.
    let pixels: UnsafePointer<UInt8>
}
