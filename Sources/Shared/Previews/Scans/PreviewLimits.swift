/// Limits the cost of previews.
public struct PreviewLimits: Sendable, Hashable {
    /// The maximum uncompressed size of a PNG or GIF in bytes, which determines the cost of its previews. Default 256
    /// MiB, 8000 x 8000 pixels of four bytes.
    public var maxPictureBytes: Int
    /// The maximum number of previews per picture. Default 32: real pictures have at most about twelve scans.
    public var maxPreviews: Int
    /// Limits the total size of a JPEG's previews, which are copies of its beginning, to this multiple of the received
    /// bytes. Default 8: the previews of ten ordinary scans need about five. Without a limit, ten thousand scans would
    /// copy the file thousands of times.
    public var maxCopies: Int

    public init(maxPictureBytes: Int = 256 << 20, maxPreviews: Int = 32, maxCopies: Int = 8) {
        self.maxPictureBytes = maxPictureBytes
        self.maxPreviews = maxPreviews
        self.maxCopies = maxCopies
    }

    public static let standard = PreviewLimits()
}
