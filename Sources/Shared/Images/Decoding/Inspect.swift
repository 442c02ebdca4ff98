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
