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
    /// What transparent pixels lie on if the format has no alpha (JPEG), and half-transparent ones if pixels are
    /// either transparent or not (GIF). Nil is white, and in a GIF, whose page is not known, the pixels' own colour.
    public var background: RGB?
    /// Whether a JPEG is written in scans that show it coarse first, a PNG interlaced; the others ignore it. Default
    /// false.
    public var isProgressive: Bool
    /// What is written beside the pixels. Default nothing.
    public var metadata: PictureMetadata

    public init(
        format: OutputFormat = .jpeg, quality: Int = 82, effort: Int = 0, background: RGB? = nil,
        isProgressive: Bool = false, metadata: PictureMetadata = PictureMetadata()
    ) {
        self.format = format
        self.quality = min(max(quality, 1), 100)
        self.effort = min(max(effort, 0), 9)
        self.background = background
        self.isProgressive = isProgressive
        self.metadata = metadata
    }

    /// What lies beneath where there is no alpha.
    var ground: RGB { background ?? .white }

    /// Whether a PNG of that size is held as a whole, to be packed with the effort; a larger one flows through.
    func holdsPNG(of size: PixelSize) -> Bool {
        let most = effort == 0 ? 0 : effort < 7 ? 4 << 20 : 16 << 20
        return (size.pixels ?? .max) <= most
    }

    /// Memory that a pixel of a PNG takes which is held: as it comes, packed, filtered and compressed.
    static let bytesPerHeldPixel = 24

    /// Memory that an encoder takes for each pixel of a picture of that size, about, if it wants the whole of it.
    func bytesPerPixel(of size: PixelSize) -> Int {
        switch format {
        // Two for each sample, of which chroma has no more than luma.
        case .jpeg: isProgressive ? 6 : 0
        case .png: holdsPNG(of: size) ? Self.bytesPerHeldPixel : isProgressive ? 4 : 0
        // An animation's: three canvases, the frame that waits, and its palette numbers.
        case .gif: 20
        // The pixels, and what libwebp makes of them.
        case .webp: 8
        // The pixels, libavif's planes, and the several copies of them that an AV1 encoder works on.
        case .avif: 16
        }
    }
}
