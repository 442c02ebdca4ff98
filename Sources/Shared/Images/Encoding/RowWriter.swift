import Formats

/// A picture that is encoded row by row, from the top.
protocol RowWriter: AnyObject {
    /// Takes the next row: 8-bit samples, as many a pixel as the writer was made for.
    func write(_ row: UnsafePointer<UInt8>) throws
    /// Writes what is left. To be called after the last row.
    func finish() throws
}

/// A writer of `options.format` for pixels of `channels` samples; for JPEG 1 or 3. Takes `options.bytesPerPixel` of
/// memory, which the caller has checked against its limits.
func rowWriter(
    _ options: EncodeOptions, size: PixelSize, channels: Int, into drain: ByteDrain
) throws -> any RowWriter {
    try checkOutput(size, options.format)
    return switch options.format {
    case .jpeg: try JPEGRowWriter(size: size, channels: channels, options: options, into: drain)
    case .png: try PNGWriter(size: size, channels: channels, options: options, into: drain)
    case .webp: WebPWriter(size: size, channels: channels, options: options, into: drain)
    case .gif: GIFWriter(size: size, channels: channels, options: options, into: drain)
    case .avif: try AVIFWriter(size: size, channels: channels, options: options, into: drain)
    }
}

/// Throws `ImageError.outputTooLarge` if a format cannot hold a picture of that size.
func checkOutput(_ size: PixelSize, _ format: OutputFormat) throws(ImageError) {
    guard size.width > 0, size.height > 0, size.width <= format.maxSide, size.height <= format.maxSide else {
        throw .outputTooLarge(format, size)
    }
}
