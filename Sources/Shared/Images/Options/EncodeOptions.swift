import Formats

/// Options for encoding a picture. Equal options and pixels give equal bytes.
public struct EncodeOptions: Sendable, Hashable {
    public var format: OutputFormat
    /// 1...100 on the format's own scale; AVIF uses the scale of JPEG. Lossless formats (PNG, still GIF) ignore the
    /// quality, and an animated GIF uses it only if its pixels are resampled. Values are clamped.
    public var quality: Int {
        didSet { quality = min(max(quality, 1), 100) }
    }
    /// How much time to spend on a smaller file of the same quality: 0 (least) to 9. Default 0. Values are clamped.
    public var effort: Int {
        didSet { effort = min(max(effort, 0), 9) }
    }
    /// The chroma resolution of JPEG, WebP and AVIF. Default `auto`.
    public var chroma: ChromaChoice
    /// The background of transparent pixels in a format without alpha (JPEG), and of translucent pixels in a format
    /// with only full transparency (GIF). Nil is white for a JPEG. For a GIF, nil keeps the colour of the pixels,
    /// because the page behind them is unknown.
    public var background: RGB?
    /// Whether to write a progressive JPEG or an interlaced PNG. Ignored by other formats. Default false.
    public var isProgressive: Bool
    /// Metadata to embed. Default none.
    public var metadata: PictureMetadata

    public init(
        format: OutputFormat = .jpeg, quality: Int = ImageFormat.standardQuality, effort: Int = 0,
        chroma: ChromaChoice = .auto, background: RGB? = nil, isProgressive: Bool = false,
        metadata: PictureMetadata = PictureMetadata()
    ) {
        self.format = format
        self.quality = min(max(quality, 1), 100)
        self.effort = min(max(effort, 0), 9)
        self.chroma = chroma
        self.background = background
        self.isProgressive = isProgressive
        self.metadata = metadata
    }

    /// Whether the frames of an animation may lose detail, according to the quality, because their pixels are
    /// resampled. If not, a GIF keeps all colours that fit in a palette.
    var toleratesLoss = false

    /// Whether a low quality also reduces the levels of alpha in a WebP, to fit a byte limit.
    var losesAlpha = false

    public static let standardBackground = RGB.white

    /// The background for formats without alpha.
    var ground: RGB { background ?? Self.standardBackground }

    /// Whether to hold a picture of this size in memory, which allows a smaller file. Larger pictures are encoded row
    /// by row.
    func holds(_ size: PixelSize) -> Bool {
        let most = effort == 0 ? 0 : effort < 7 ? 4 << 20 : 16 << 20
        return (size.pixels ?? .max) <= most
    }
}

/// The resolution of chroma.
public enum ChromaChoice: String, Sendable, Hashable, CaseIterable {
    /// Full from quality 90 on. At lower qualities, full only if halving would blur the picture's colours, as in stars,
    /// lettering and diagrams. To decide this, the encoder keeps a JPEG of up to 4 megapixels in memory. Larger JPEGs,
    /// and all JPEGs with an effort of 0, get halved chroma.
    case auto
    /// Halved horizontally and vertically.
    case halved = "420"
    /// The same resolution as luma.
    case full = "444"
}
