import Formats

/// Encodes a picture row by row, from the top.
protocol RowWriter: AnyObject {
    /// Writes the next row of 8-bit samples.
    func write(_ row: UnsafePointer<UInt8>) throws
    /// Writes the end of the picture. Call it after the last row.
    func finish() throws
}

/// Throws `ImageError.outputTooLarge` if the format does not support this size.
func checkOutput(_ size: PixelSize, _ format: OutputFormat) throws(ImageError) {
    guard size.width > 0, size.height > 0, size.width <= format.maxSide, size.height <= format.maxSide else {
        throw .outputTooLarge(format, size)
    }
}
