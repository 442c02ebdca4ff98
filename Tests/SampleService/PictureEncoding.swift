import Formats
import Images
import TestSupport

/// The picture as a JPEG or WebP: the formats that TestSupport does not write itself.
func encoded(_ picture: DrawnPicture, _ format: OutputFormat) throws -> [UInt8] {
    let pixels = PixelBuffer(
        size: PixelSize(width: picture.width, height: picture.height), channels: picture.channels, bytes: picture.bytes)
    return try encode(pixels, EncodeOptions(format: format, quality: 88))
}
