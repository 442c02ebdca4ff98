import Formats

/// A picture that is decoded as planes of samples, each of a resolution of its own, from the top, in the stored
/// orientation: JPEG's luma and chroma, as libjpeg or another decoder gives them.
protocol PlaneReader: AnyObject {
    /// One for gray, three for YCbCr (Rec. 601, full range, chroma sited in the middle of the luma it belongs to).
    var planes: [PlaneGeometry] { get }
    /// Decodes the next group of rows of every plane into the rows that `destination` gives for plane and row.
    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws
    /// Reads what follows the last group, as `RowReader.finish` does.
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

/// The shape of one plane.
struct PlaneGeometry: Hashable {
    /// Samples that belong to the picture.
    var size: PixelSize
    /// The whole picture's size in samples of this plane; not whole if it was scaled or subsampled.
    var extentWidth: Double
    var extentHeight: Double
    /// Bytes written to each row, more than belong to the picture.
    var rowBytes: Int
    /// Rows that come at once.
    var groupRows: Int
    /// Samples of a pixel that lie side by side.
    var channels = 1
}
