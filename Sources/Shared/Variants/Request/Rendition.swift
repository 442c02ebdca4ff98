import Formats
import Images

/// How variants are drawn and encoded, whatever their size.
public struct Rendition: Sendable, Hashable {
    /// What of a picture's metadata is kept.
    public enum Metadata: String, Sendable, Hashable {
        /// None of it: where a picture was taken is nobody's business.
        case stripped
        /// Who made it, and whose it is.
        case copyright
        /// EXIF and XMP.
        case kept
    }

    /// Nil is as the source.
    public var format: OutputFormat?
    /// 1 to 100; for PNG without meaning.
    public var quality: Int
    /// 0 to 9: how much time may be spent on smaller files.
    public var effort = standardEffort
    /// How much colour detail is kept.
    public var chroma = ChromaChoice.auto
    /// What transparent pixels and corners lie on in a format without alpha, or in a GIF; nil as in `EncodeOptions`.
    public var background: RGB?
    /// What lies beside and beneath a picture that is shown whole in a size of another shape; nil is the background.
    public var backdrop: Backdrop?
    public var isProgressive = false
    /// Whether colours are mixed in linear light.
    public var isLinear = false
    public var keepsProfile = false
    public var metadata = Metadata.stripped
    public var wantsHash = false
    /// The most bytes of a variant.
    public var byteLimit: Int?
    /// The one frame of an animation that is shown, counted from 0; nil is all, where the format can hold them.
    public var frame: Int?
    /// The most frames of an animation in a second; nil is all.
    public var framesPerSecond: Double?

    /// The quality of a picture for which none is named: the point from which on most people see no difference beside
    /// the original at these sizes.
    public static let standardQuality = 82

    /// The effort for which smaller files cost little time.
    public static let standardEffort = 3

    public init(format: OutputFormat? = nil, quality: Int = standardQuality, background: RGB? = nil) {
        self.format = format
        self.quality = quality
        self.background = background
    }

    /// The format that a variant of a picture of this format is written in: if none is named, the source's, or JPEG if
    /// that is only read; WebP in place of a JPEG with alpha or round corners, and of an animated PNG.
    public func format(
        for source: ImageFormat, isAnimated: Bool = false, hasAlpha: Bool = false, isRounded: Bool = false
    ) -> OutputFormat {
        if let format { return format }
        return switch source {
        case .jpeg, .tiff, .heic, .jpegXL: isRounded || hasAlpha ? .webp : .jpeg
        case .avif: .avif
        case .png: isAnimated && frame == nil ? .webp : .png
        case .gif: .gif
        case .webp: .webp
        }
    }

    func encoding(_ format: OutputFormat) -> EncodeOptions {
        EncodeOptions(
            format: format, quality: quality, effort: effort, chroma: chroma, background: background,
            isProgressive: isProgressive)
    }

    /// Every option that can change the bytes of a variant, and the engine's version, as the cache's key wants it.
    /// A change of what the engine makes raises the version.
    func key(_ variant: Variant) -> String {
        func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "" }
        let colour = background.map { Int($0.red) << 16 | Int($0.green) << 8 | Int($0.blue) }
        return "engine=8;\(variant.key);format=\(format?.rawValue ?? "auto");quality=\(quality)"
            + ";effort=\(effort);chroma=\(chroma.rawValue);background=\(text(colour));backdrop=\(text(backdrop));progressive=\(isProgressive);linear=\(isLinear);profile=\(keepsProfile)"
            + ";metadata=\(metadata.rawValue);hash=\(wantsHash);bytes=\(text(byteLimit));frame=\(text(frame))"
            + ";fps=\(text(framesPerSecond))"
    }
}
