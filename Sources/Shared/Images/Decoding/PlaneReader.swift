import Formats

/// A picture that is decoded as planes of samples with different resolutions, from the top, in the stored orientation,
/// such as the luma and chroma of a JPEG.
protocol PlaneReader: AnyObject {
    /// A plane for gray, three for YCbCr (Rec. 601, full range, chroma sited in the middle of its luma).
    var planes: [PlaneGeometry] { get }
    /// Decodes the next group of rows of every plane into the rows that `destination` returns for plane and row.
    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws
    /// Reads the rest of the file, as `RowReader.finish` does.
    func finish() throws
    /// As in `RowReader`.
    var isTruncated: Bool { get }
    /// As in `RowReader`.
    var isDamaged: Bool { get }
}

extension PlaneReader {
    var isTruncated: Bool { false }
    var isDamaged: Bool { false }
}

/// The shape of a plane.
struct PlaneGeometry: Hashable {
    /// Samples that belong to the picture.
    var size: PixelSize
    /// The size of the whole picture in samples of this plane, fractional if it was scaled or subsampled.
    var extentWidth: Double
    var extentHeight: Double
    /// The bytes that are written to each row, some of them beyond the picture.
    var rowBytes: Int
    /// Rows per group.
    var groupRows: Int
    /// Interleaved samples per pixel.
    var channels = 1
}
