import Formats
import Support

/// An animation that is encoded frame by frame.
protocol AnimationWriter: AnyObject {
    /// Takes the next frame: the whole canvas, rows from the top without gaps, R, G, B and straight alpha, which is
    /// free again when the call returns.
    ///
    /// - Parameter delay: how long it is shown, in milliseconds.
    func write(_ frame: UnsafePointer<UInt8>, delay: Int) throws
    /// Writes what is left. To be called after the last frame, of which there must be one.
    func finish() throws
}

/// A writer of an animation.
///
/// - Parameters:
///   - plays: how often it is shown, as `AnimationReader.plays` counts: 0 for ever.
/// Throws `ImageError` if the format holds no animations or cannot hold that canvas, or if that takes more memory than
/// allowed.
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
    /// Whether the format can hold several frames.
    public var holdsAnimations: Bool { self == .gif || self == .webp }
}
