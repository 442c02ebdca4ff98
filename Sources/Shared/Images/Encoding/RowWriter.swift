import Formats

/// A picture that is encoded row by row, from the top.
protocol RowWriter: AnyObject {
    /// Takes the next row: 8-bit samples, as many a pixel as the writer was made for.
    func write(_ row: UnsafePointer<UInt8>) throws
    /// Writes what is left. To be called after the last row.
    func finish() throws
}

/// A writer of `options.format` for pixels of `channels` samples; for JPEG 1 or 3.
func rowWriter(
    _ options: EncodeOptions, size: PixelSize, channels: Int, limits: DecodeLimits, into drain: ByteDrain
) throws -> any RowWriter {
    try checkOutput(size, options.format)
    return switch options.format {
    case .jpeg:
        try JPEGRowWriter(
            size: size, channels: channels, quality: options.quality, isProgressive: options.isProgressive,
            metadata: options.metadata, limits: limits, into: drain)
    case .png:
        try PNGWriter(
            size: size, channels: channels, isInterlaced: options.isProgressive, metadata: options.metadata,
            limits: limits, into: drain)
    case .webp:
        try WebPWriter(
            size: size, channels: channels, quality: options.quality, metadata: options.metadata, limits: limits,
            into: drain)
    case .gif:
        try GIFWriter(size: size, channels: channels, background: options.background, limits: limits, into: drain)
    case .avif: try AVIFWriter(size: size, channels: channels, options: options, limits: limits, into: drain)
    }
}

/// Throws `ImageError.outputTooLarge` if a format cannot hold a picture of that size.
func checkOutput(_ size: PixelSize, _ format: OutputFormat) throws(ImageError) {
    guard size.width > 0, size.height > 0, size.width <= format.maxSide, size.height <= format.maxSide else {
        throw .outputTooLarge(format, size)
    }
}
