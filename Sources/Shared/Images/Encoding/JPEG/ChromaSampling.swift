import Formats

/// How many luma samples there are for each sample of chroma, across and down.
struct ChromaSampling: Hashable {
    var across: Int
    var down: Int

    /// 4:4:4.
    static let full = ChromaSampling(across: 1, down: 1)
    /// 4:2:0.
    static let halved = ChromaSampling(across: 2, down: 2)

    /// The size of a plane of chroma.
    func chroma(of size: PixelSize) -> PixelSize {
        PixelSize(width: (size.width + across - 1) / across, height: (size.height + down - 1) / down)
    }
}

/// How much of the chroma is kept.
public enum ChromaChoice: String, Sendable, Hashable, CaseIterable {
    /// All from quality 90 on, and below it if the picture has colours that half of it would blur: stars, lettering,
    /// diagrams. To see that, a JPEG of up to 4 megapixels is held in memory; a larger one, and any with no effort, is
    /// halved.
    case auto
    /// Halved across and down, whatever the quality.
    case halved = "420"
    /// As much as of luma.
    case full = "444"
}
