/// The resolution of chroma.
public enum ChromaChoice: String, Sendable, Hashable, CaseIterable {
    /// Full from quality 90 on, and at lower qualities if halving would blur the picture's colours, as in stars,
    /// lettering and diagrams. To decide that, a JPEG of up to 4 megapixels is held in memory. Larger JPEGs, and all
    /// without effort, are halved.
    case auto
    /// Halved horizontally and vertically.
    case halved = "420"
    /// As fine as luma.
    case full = "444"
}
