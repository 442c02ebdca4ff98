import Formats
import Support

/// Reads a picture's header, and checks it against `limits`. One or a few small reads; no pixel is decoded.
/// Throws `FormatFailure`, `ImageError`, and what the source throws.
///
/// - Parameter page: of a TIFF, counted from 0; without meaning for other formats.
public func inspect(
    _ source: some ByteSource, limits: DecodeLimits = .standard, page: Int = 0
) throws -> ImageHeader {
    try limits.check(bytes: source.count)
    let header = try ImageHeader.read(source, page: page)
    try limits.check(pixels: header.storedSize)
    return header
}

/// The small JPEG that a picture carries in its EXIF, to be shown while the picture itself is on its way, with its
/// header, which has the picture's orientation; nil if there is none that can be read. A few small reads.
public func embeddedThumbnail(
    of source: some ByteSource, _ info: ImageHeader, limits: DecodeLimits = .standard
) -> (source: MemorySource, info: ImageHeader)? {
    guard let exif = try? EmbeddedMetadata.read(source).exif, let bytes = ExifBlock(exif)?.thumbnail else { return nil }
    let thumbnail = MemorySource(bytes)
    guard let own = try? inspect(thumbnail, limits: limits), own.format == .jpeg else { return nil }
    let header = ImageHeader(
        format: .jpeg, storedSize: own.storedSize, orientation: info.orientation, isAnimated: false, hasAlpha: false,
        lateHeightOffset: own.lateHeightOffset)
    return (thumbnail, header)
}
