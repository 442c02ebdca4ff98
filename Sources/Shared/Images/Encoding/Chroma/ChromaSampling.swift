import Formats

/// Luma samples per chroma sample, horizontally and vertically.
struct ChromaSampling: Hashable {
    var across: Int
    var down: Int

    /// 4:4:4.
    static let full = ChromaSampling(across: 1, down: 1)
    /// 4:2:0.
    static let halved = ChromaSampling(across: 2, down: 2)

    /// Returns the size of a chroma plane.
    func chroma(of size: PixelSize) -> PixelSize {
        PixelSize(width: (size.width + across - 1) / across, height: (size.height + down - 1) / down)
    }
}
