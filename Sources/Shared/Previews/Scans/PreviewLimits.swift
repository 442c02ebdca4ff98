/// How much previews may cost.
public struct PreviewLimits: Sendable, Hashable {
    /// Pixels of a picture as they are stored, unpacked: what its previews cost to read and to write. Default 256 MiB,
    /// 8000 x 8000 pixels of four bytes.
    public var maxPictureBytes: Int
    /// Previews of one picture. Default 32: real pictures have up to about twelve scans.
    public var maxPreviews: Int
    /// How many times the bytes that have come all previews of a JPEG, which are copies of its beginning, may have
    /// together. Default 8: ten ordinary scans take about five, and ten thousand must not take the square of their
    /// number.
    public var maxCopies: Int

    public init(maxPictureBytes: Int = 256 << 20, maxPreviews: Int = 32, maxCopies: Int = 8) {
        self.maxPictureBytes = maxPictureBytes
        self.maxPreviews = maxPreviews
        self.maxCopies = maxCopies
    }

    public static let standard = PreviewLimits()
}
