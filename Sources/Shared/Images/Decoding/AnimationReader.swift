import Formats

/// Decodes the frames of an animation in order, each as the whole canvas that a viewer shows.
///
/// Needs memory for a few canvases, regardless of the number of frames. Each frame is drawn on the frames before it, so
/// frame N costs the decode of all earlier frames, and of no later frame.
protocol AnimationReader: AnyObject {
    /// The size of the canvas.
    var size: PixelSize { get }
    /// The number of frames, at least 1, known before the first is decoded.
    var frameCount: Int { get }
    /// The number of times that the animation is played: 0 if it never ends, 1 if the file has no loop.
    ///
    /// WebP stores this number. GIF stores the number of repetitions, so a stored 2 becomes 3, as in browsers.
    var plays: Int { get }
    /// The ICC profile of the pixels; nil for sRGB.
    var profile: [UInt8]? { get }
    /// Whether damage was skipped in the frames decoded so far.
    var isDamaged: Bool { get }
    /// Decodes the next frame. Returns nil after the last. Throws `ImageError`, `Cancelled`, and errors of the source.
    func nextFrame() throws -> AnimationFrame?
}

extension AnimationReader {
    var profile: [UInt8]? { nil }
    var isDamaged: Bool { false }
}

/// A frame of an animation as displayed.
struct AnimationFrame {
    /// Counted from 0.
    let index: Int
    /// The display time in milliseconds, as stored. Browsers play 0 and 10 as 100.
    let delay: Int
    /// The canvas: RGBA rows from the top without gaps, with straight alpha. Valid until the reader decodes the next
    /// frame or is freed.
    let pixels: UnsafePointer<UInt8>
}
