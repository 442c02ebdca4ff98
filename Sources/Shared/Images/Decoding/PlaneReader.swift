import Formats

/// Decodes a picture, from the top and in the stored orientation, into planes of samples that may differ in resolution,
/// such as the luma and chroma of a JPEG.
protocol PlaneReader: AnyObject {
    /// A single plane for gray; three for YCbCr (Rec. 601, full range, chroma sited in the middle of its luma).
    var planes: [PlaneGeometry] { get }
    /// Decodes the next group of rows of every plane. `destination` returns the address for a plane and a row of the
    /// group.
    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws
    /// Reads the rest of the file, as `RowReader.finish` does.
    func finish() throws
    // As in `RowReader`.
    var isTruncated: Bool { get }
    var isDamaged: Bool { get }
}

extension PlaneReader {
    var isTruncated: Bool { false }
    var isDamaged: Bool { false }
}

/// The shape of a plane.
struct PlaneGeometry: Hashable {
    /// The samples of the picture, without padding.
    var size: PixelSize
    /// The size of the whole picture in samples of this plane, fractional if it was scaled or subsampled.
    var extentWidth: Double
    var extentHeight: Double
    /// The bytes written to each row, including padding.
    var rowBytes: Int
    /// Rows per group.
    var groupRows: Int
    /// Interleaved samples per pixel.
    var channels = 1
}
