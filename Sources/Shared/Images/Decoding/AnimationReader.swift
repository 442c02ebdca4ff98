import Formats

/// Decodes the frames of an animation in order. Each frame is the whole canvas that a viewer shows.
///
/// Needs memory for a few canvases, regardless of the number of frames. Each frame is drawn over the previous frames,
/// so a caller that needs one frame must decode all frames before it, but none after it.
protocol AnimationReader: AnyObject {
    /// The size of the canvas.
    var size: PixelSize { get }
    /// The number of frames, at least 1. Known before the first frame is decoded.
    var frameCount: Int { get }
    /// The number of times that the animation is played: 0 if it repeats forever, 1 if the file requests no loop.
    ///
    /// WebP stores this number. GIF stores the repetitions after the first time, so a stored 2 means 3, as in browsers.
    var plays: Int { get }
    /// The ICC profile of the pixels; nil for sRGB.
    var profile: [UInt8]? { get }
    /// Whether invalid data was skipped in the frames decoded so far.
    var isDamaged: Bool { get }
    /// Decodes the next frame. Returns nil after the last frame. Throws `ImageError`, `Cancelled`, and errors of the
    /// source.
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
    /// The display time in milliseconds, as stored. Browsers show a frame of 0 or 10 ms for 100 ms.
    let delay: Int
    /// The canvas: RGBA rows from the top without gaps, with straight alpha. Valid until the reader decodes the next
    /// frame or is freed.
    let pixels: UnsafePointer<UInt8>
}
