import CKernels
import Formats
import Support

/// What the samples of a pixel mean.
enum RowLayout: Sendable, Hashable {
    case gray, grayAlpha, rgb, rgba
    /// Four inks, 255 for none.
    case cmyk

    init(channels: Int) {
        switch channels {
        case 1: self = .gray
        case 2: self = .grayAlpha
        case 3: self = .rgb
        default: self = .rgba
        }
    }

    var channels: Int {
        switch self {
        case .gray: 1
        case .grayAlpha: 2
        case .rgb: 3
        case .rgba, .cmyk: 4
        }
    }

    var hasAlpha: Bool { self == .grayAlpha || self == .rgba }

    /// The channels of a picture in sRGB made from it.
    var outputChannels: Int { self == .cmyk ? 3 : channels }
}

/// A picture that is decoded row by row, from the top, in the stored orientation.
protocol RowReader: AnyObject {
    /// Rows and columns that come.
    var size: PixelSize { get }
    /// The picture's size in those pixels, which is not whole where the decoder made it smaller.
    var extent: (width: Double, height: Double) { get }
    var layout: RowLayout { get }
    /// The embedded colour profile.
    var profile: [UInt8]? { get }
    /// Decodes the next row: `size.width * layout.channels` samples, alpha straight.
    func readRow(into row: UnsafeMutablePointer<UInt8>) throws
    /// Reads what follows the last row, so that a picture that was broken off there is refused as well.
    func finish() throws
    /// Whether the picture's end was missing, which only `DecodeOptions.allowsTruncated` lets pass; known once `finish`
    /// has been called.
    var isTruncated: Bool { get }
}

extension RowReader {
    var isTruncated: Bool { false }
    var extent: (width: Double, height: Double) { (Double(size.width), Double(size.height)) }
}

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
}

extension PlaneReader {
    var isTruncated: Bool { false }
}

/// The shape of one plane.
struct PlaneGeometry: Hashable {
    /// Samples that belong to the picture.
    var size: PixelSize
    /// The whole picture's size in samples of this plane; not whole where it was scaled or subsampled.
    var extentWidth: Double
    var extentHeight: Double
    /// Bytes written to each row, more than belong to the picture.
    var rowBytes: Int
    /// Rows that come at once.
    var groupRows: Int
    /// Samples of a pixel that lie side by side.
    var channels = 1
}
