import Formats
import Support

/// Encodes an animation frame by frame.
protocol AnimationWriter: AnyObject {
    /// Writes the next frame: the whole canvas, as RGBA rows from the top without gaps, with straight alpha.
    ///
    /// - Parameter delay: in milliseconds.
    func write(_ frame: UnsafePointer<UInt8>, delay: Int) throws
    /// Writes the rest. Call it once, after at least one frame.
    func finish() throws
}

/// Creates a writer. Throws `ImageError` if the format does not support animations or the size, or if the memory limit
/// is too low.
///
/// - Parameter plays: the number of plays; 0 is infinite.
func animationWriter(
    _ options: EncodeOptions, size: PixelSize, plays: Int, limits: DecodeLimits, interruption: Interruption,
    into drain: ByteDrain
) throws -> any AnimationWriter {
    try checkOutput(size, options.format)
    return switch options.format {
    case .gif:
        try GIFAnimationWriter(
            size: size, plays: plays, background: options.background, effort: options.effort, limits: limits,
            interruption: interruption, into: drain)
    case .webp:
        try WebPAnimationWriter(
            size: size, plays: plays, quality: options.quality, effort: options.effort, limits: limits, into: drain)
    case .jpeg, .png, .avif: throw ImageError.encoder(options.format, "it holds no animations")
    }
}

extension OutputFormat {
    /// Whether the format supports animations.
    public var holdsAnimations: Bool { self == .gif || self == .webp }
}
