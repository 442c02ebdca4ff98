import Formats

/// Decodes a picture, from the top and in the stored orientation, into planes of samples that may differ in resolution,
/// such as the luma and chroma of a JPEG.
protocol PlaneReader: AnyObject {
    /// A single plane of gray or interleaved samples, or three planes of YCbCr (Rec. 601, full range, each chroma
    /// sample centred among its luma samples).
    var planes: [PlaneGeometry] { get }
    /// Decodes the next group of rows of every plane.
    ///
    /// - Parameter destination: returns the address of a row, given the plane and the row's index in the group.
    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws
    /// Reads the rest of the file, as `RowReader.finish` does.
    func finish() throws
    // See `RowReader`.
    var isTruncated: Bool { get }
    var isDamaged: Bool { get }
}

extension PlaneReader {
    var isTruncated: Bool { false }
    var isDamaged: Bool { false }
}

/// The size and the row layout of a plane.
struct PlaneGeometry: Hashable {
    /// The width and height in samples, without padding.
    var size: PixelSize
    /// The size of the whole picture in samples of this plane, fractional if it was scaled or subsampled.
    var extentWidth: Double
    var extentHeight: Double
    /// The number of bytes that the reader writes to each row, including padding.
    var rowBytes: Int
    /// Rows per group.
    var groupRows: Int
    /// Interleaved samples per pixel.
    var channels = 1
    /// See `JPEGPlane.sharpening`.
    var sharpening = 0.0
}
