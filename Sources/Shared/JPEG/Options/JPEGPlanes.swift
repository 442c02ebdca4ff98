import Formats

/// A picture that is decoded as planes of samples, one for each component, each with its own resolution, from the top.
public protocol JPEGPlanes: AnyObject {
    var planes: [JPEGPlane] { get }
    /// Decodes the next group of rows of each plane into the rows that `destination` returns for a plane and a row.
    /// Throws `JPEGError`, and the errors of the source and of `JPEGOptions`.
    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws
    /// Reads the bytes behind the last group, up to the end marker. Throws as `readGroup` does.
    func finish() throws
    /// Whether data was missing, which only `JPEGOptions.allowsTruncated` allows; known after `finish`.
    var isTruncated: Bool { get }
}

/// The shape of one plane.
public struct JPEGPlane: Sendable, Hashable {
    /// Samples that belong to the picture.
    public let size: PixelSize
    /// The whole picture's size in samples of this plane; not whole if it was scaled or subsampled.
    public let extentWidth: Double
    public let extentHeight: Double
    /// Bytes written to each row, more than belong to the picture.
    public let rowBytes: Int
    /// Rows that come at once.
    public let groupRows: Int
}

/// The purpose that planes are decoded for.
public enum JPEGPlaneUse: Sendable {
    /// Each plane is resampled separately. A component with less than half the resolution of the finest one is decoded
    /// at twice the scale.
    case planes
    /// Planes become pixels: as fine as they can be without leaving a remainder.
    case rows
}
