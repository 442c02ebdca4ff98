import Formats

/// Decodes a picture from top to bottom into planes of samples, each component at its own resolution.
public protocol JPEGPlanes: AnyObject {
    var planes: [JPEGPlane] { get }
    /// Decodes the next group of rows of each plane into the rows that `destination` returns for a plane and a row.
    /// Throws `JPEGError`, and the errors of the source and of `JPEGOptions`.
    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws
    /// Reads the bytes after the last group, up to the end marker. Throws like `readGroup`.
    func finish() throws
    /// Whether data was missing, which is an error unless `JPEGOptions.allowsTruncated` is set. Known after `finish`.
    var isTruncated: Bool { get }
}

public struct JPEGPlane: Sendable, Hashable {
    public let size: PixelSize
    /// The size of the whole picture in samples of this plane. May be fractional.
    public let extentWidth: Double
    public let extentHeight: Double
    /// Bytes written to each row, including padding to whole MCUs.
    public let rowBytes: Int
    /// The number of rows that each call of `JPEGPlanes.readGroup` decodes.
    public let groupRows: Int
    /// The weight `a` of the filter [-a, 1 + 2a, -a] that restores the contrast of fine detail in the samples.
    public let sharpening: Double
}

/// How the caller uses the planes. Determines the scale at which each plane is decoded.
public enum JPEGPlaneUse: Sendable {
    /// Each plane is resampled separately. A component with less than half of the highest resolution, across or down,
    /// is decoded at twice the scale or more.
    case planes
    /// The planes are converted to pixels. Each plane is decoded at the largest scale at which a sample covers a whole
    /// number of pixels.
    case rows
}
