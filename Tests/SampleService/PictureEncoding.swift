import Formats
import Images
import TestSupport

/// Encodes a picture as JPEG or WebP, which TestSupport cannot write.
func encoded(_ picture: DrawnPicture, _ format: OutputFormat) throws -> [UInt8] {
    let pixels = PixelBuffer(
        size: PixelSize(width: picture.width, height: picture.height), channels: picture.channels, bytes: picture.bytes)
    return try encode(pixels, EncodeOptions(format: format, quality: 88))
}
