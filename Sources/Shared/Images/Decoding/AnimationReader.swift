import Formats

/// The frames of an animation in the order of display, each as the whole canvas that a viewer shows.
///
/// Memory for a few canvases, for any number of frames. Each frame is drawn on the frames before it, so that frame N
/// costs all earlier frames, and none of the later.
protocol AnimationReader: AnyObject {
    /// The canvas.
    var size: PixelSize { get }
    /// The number of frames, at least 1, known before any is decoded.
    var frameCount: Int { get }
    /// How often the animation is shown: 0 for ever, 1 if the file has no loop.
    ///
    /// WebP counts like this. GIF stores the repetitions after the first showing, so that a stored 2 is 3 here, as
    /// browsers play it.
    var plays: Int { get }
    /// The ICC profile that the pixels are in; nil for sRGB.
    var profile: [UInt8]? { get }
    /// Whether damage was skipped in the frames so far.
    var isDamaged: Bool { get }
    /// Decodes the next frame; nil after the last. Throws `ImageError`, `Cancelled`, and errors of the source.
    func nextFrame() throws -> AnimationFrame?
}

extension AnimationReader {
    var isDamaged: Bool { false }
}

/// A frame of an animation as it is shown.
struct AnimationFrame {
    /// Counted from 0.
    let index: Int
    /// The time that the frame is shown, in milliseconds, as stored. Browsers play 0 and 10 as 100.
    let delay: Int
    /// The canvas: rows from the top without gaps, R, G, B and straight alpha. Valid until the reader decodes the next
    /// frame, or is freed.
    let pixels: UnsafePointer<UInt8>
}
