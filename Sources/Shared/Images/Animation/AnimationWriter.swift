import Formats
import Support

/// Encodes an animation frame by frame.
protocol AnimationWriter: AnyObject {
    /// Writes the next frame: the whole canvas, as RGBA rows from the top without gaps, with straight alpha.
    ///
    /// - Parameter delay: in milliseconds.
    func write(_ frame: UnsafePointer<UInt8>, delay: Int) throws
    /// Writes the end of the file. Call it once, after at least one frame.
    func finish() throws
}

/// Creates a writer. Throws `ImageError` if the format does not support animations or the size, or if the memory limit
/// is too low.
///
/// - Parameter plays: how often the animation is played; 0 repeats it forever.
func animationWriter(
    _ options: EncodeOptions, size: PixelSize, plays: Int, limits: DecodeLimits, into drain: EncoderOutput
) throws -> any AnimationWriter {
    try checkOutput(size, options.format)
    return switch options.format {
    case .gif where options.toleratesLoss && options.quality < 100:
        try LossyGIFAnimationWriter(options, size: size, plays: plays, limits: limits, into: drain)
    case .gif: try GIFAnimationWriter(options, size: size, plays: plays, limits: limits, into: drain)
    case .webp: try WebPAnimationWriter(options, size: size, plays: plays, limits: limits, into: drain)
    case .jpeg, .png, .avif: throw ImageError.encoder(options.format, "the format does not support animations")
    }
}

extension OutputFormat {
    public var holdsAnimations: Bool { self == .gif || self == .webp }
}

/// Encodes RGB or RGBA frames of equal size as an animation. Throws `ImageError`, for example if the format does not
/// support animations.
///
/// - Parameters:
///   - delay: the display time of each frame in milliseconds.
///   - plays: how often the animation is played; 0 repeats it forever.
public func encodeAnimation(
    _ frames: [PixelBuffer], delay: Int, plays: Int = 0, _ options: EncodeOptions
) throws -> [UInt8] {
    precondition(!frames.isEmpty && frames.allSatisfy { $0.size == frames[0].size && $0.channels >= 3 })
    let sink = MemorySink()
    let drain = EncoderOutput(options.format, sink)
    let writer = try animationWriter(options, size: frames[0].size, plays: plays, limits: .standard, into: drain)
    for frame in frames {
        try frame.rgba.bytes.withUnsafeBufferPointer { try writer.write($0.baseAddress!, delay: delay) }
    }
    try writer.finish()
    return sink.bytes
}
