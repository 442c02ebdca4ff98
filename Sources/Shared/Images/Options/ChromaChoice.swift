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
