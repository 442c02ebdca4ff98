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

/// The small JPEG that a picture carries in its EXIF, to be shown while the picture itself is on its way, with its
/// header, which has the picture's orientation; nil if there is none that can be read. A few small reads.
public func embeddedThumbnail(
    of source: some ByteSource, _ info: PictureInfo, limits: DecodeLimits = .standard
) -> (source: MemorySource, info: PictureInfo)? {
    guard let exif = try? EmbeddedMetadata.read(source).exif, let bytes = ExifBlock(exif)?.thumbnail else { return nil }
    let thumbnail = MemorySource(bytes)
    guard let own = try? inspect(thumbnail, limits: limits), own.format == .jpeg else { return nil }
    let header = PictureInfo(
        format: own.format, storedSize: own.storedSize, orientation: info.orientation, hasAlpha: false,
        isAnimated: false)
    return (thumbnail, header)
}
