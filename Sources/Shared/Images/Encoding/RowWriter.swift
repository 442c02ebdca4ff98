import Formats

/// A picture that is encoded row by row, from the top.
protocol RowWriter: AnyObject {
    /// Takes the next row: 8-bit samples, as many a pixel as the writer was made for.
    func write(_ row: UnsafePointer<UInt8>) throws
    /// Writes what is left. To be called after the last row.
    func finish() throws
}

/// Throws `ImageError.outputTooLarge` if a format cannot hold a picture of that size.
func checkOutput(_ size: PixelSize, _ format: OutputFormat) throws(ImageError) {
    guard size.width > 0, size.height > 0, size.width <= format.maxSide, size.height <= format.maxSide else {
        throw .outputTooLarge(format, size)
    }
}
