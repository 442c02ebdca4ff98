import Formats
import Support

/// What a picture's header says.
public struct PictureInfo: Sendable, Hashable {
    public let format: ImageFormat
    /// Columns and rows as they are stored; the canvas of an animation.
    public let storedSize: PixelSize
    public let orientation: Orientation
    /// Whether pixels can be transparent; nil for a GIF, where each frame decides.
    public let hasAlpha: Bool?
    /// Whether there are several frames; nil for a GIF, where only a walk through all of it tells.
    public let isAnimated: Bool?

    /// The size as it is to be seen.
    public var uprightSize: PixelSize { orientation.swapsAxes ? storedSize.swapped : storedSize }
}

/// Reads a picture's header, and checks it against `limits`. One or a few small reads; no pixel is decoded.
/// Throws `FormatFailure`, `ImageError`, and what the source throws.
public func inspect(_ source: some ByteSource, limits: DecodeLimits = .standard) throws -> PictureInfo {
    try limits.check(bytes: source.count)
    let header = try ImageHeader.read(source)
    try limits.check(pixels: header.storedSize)
    return PictureInfo(
        format: header.format, storedSize: header.storedSize, orientation: header.orientation,
        hasAlpha: header.hasAlpha, isAnimated: header.isAnimated)
}
