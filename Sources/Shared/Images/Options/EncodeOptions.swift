import Formats

/// How a picture is written. Equal options and pixels give equal bytes.
public struct EncodeOptions: Sendable, Hashable {
    public var format: OutputFormat
    /// 1...100 on the format's own scale; AVIF has JPEG's. PNG and GIF, which compress without loss, ignore it. Values
    /// outside are held to the range.
    public var quality: Int {
        didSet { quality = min(max(quality, 1), 100) }
    }
    /// How much time may be spent on a smaller file of the same look: 0 (the least) to 9. Values outside are held to the
    /// range. Default 0.
    public var effort: Int {
        didSet { effort = min(max(effort, 0), 9) }
    }
    /// How much of a JPEG's, a WebP's or an AVIF's chroma is kept. Default `auto`.
    public var chroma: ChromaChoice
    /// What transparent pixels lie on if the format has no alpha (JPEG), and half-transparent ones if pixels are
    /// either transparent or not (GIF). Nil is white, and in a GIF, whose page is not known, the pixels' own colour.
    public var background: RGB?
    /// Whether a JPEG is written in scans that show it coarse first, a PNG interlaced; the others ignore it. Default
    /// false.
    public var isProgressive: Bool
    /// What is written beside the pixels. Default nothing.
    public var metadata: PictureMetadata

    public init(
        format: OutputFormat = .jpeg, quality: Int = 82, effort: Int = 0, chroma: ChromaChoice = .auto,
        background: RGB? = nil, isProgressive: Bool = false, metadata: PictureMetadata = PictureMetadata()
    ) {
        self.format = format
        self.quality = min(max(quality, 1), 100)
        self.effort = min(max(effort, 0), 9)
        self.chroma = chroma
        self.background = background
        self.isProgressive = isProgressive
        self.metadata = metadata
    }

    /// Whether a low quality costs alpha some of its levels too, since the picture has to fit (WebP).
    var losesAlpha = false

    /// What lies beneath where there is no alpha.
    var ground: RGB { background ?? .white }

    /// Whether a picture of that size may be held as a whole for the sake of a smaller file; a larger one flows through.
    func holds(_ size: PixelSize) -> Bool {
        let most = effort == 0 ? 0 : effort < 7 ? 4 << 20 : 16 << 20
        return (size.pixels ?? .max) <= most
    }
}
