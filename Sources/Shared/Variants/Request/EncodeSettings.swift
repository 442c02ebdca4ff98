import Formats
import Images

/// The settings for drawing and encoding variants, independent of their size.
public struct EncodeSettings: Sendable, Hashable {
    /// The metadata that variants keep.
    public enum Metadata: String, Sendable, Hashable {
        /// None: metadata may reveal where a picture was taken.
        case stripped
        /// The creator and the copyright.
        case copyright
        /// EXIF and XMP.
        case kept
    }

    /// Nil for the format of the source.
    public var format: OutputFormat?
    /// 1 to 100; ignored for PNG.
    public var quality: Int
    /// 0 to 9. Higher values take longer and make smaller files.
    public var effort: Int
    public var chroma = ChromaChoice.auto
    /// The colour behind transparent pixels and rounded corners, in GIF and in formats without alpha. Nil for the
    /// default of `EncodeOptions`.
    public var background: RGB?
    /// Fills the area beside a picture whose shape differs from the size; nil for the background colour.
    public var backdrop: Backdrop?
    public var isProgressive = false
    /// Whether colours are mixed in linear light.
    public var isLinear = false
    public var keepsProfile = false
    public var metadata = Metadata.stripped
    public var wantsHash = false
    public var byteLimit: Int?
    /// The frame of an animation to use, counted from 0. Nil keeps all frames if the format supports animation.
    public var frame: Int?
    /// The maximum frame rate of an animation; nil keeps all frames.
    public var framesPerSecond: Double?

    public init(format: OutputFormat? = nil, quality: Int, effort: Int, background: RGB? = nil) {
        self.format = format
        self.quality = quality
        self.effort = effort
        self.background = background
    }

    /// Returns the chosen format, or else the format of the source, or JPEG if it cannot be written. Instead of a JPEG
    /// with alpha and of an animated PNG, returns WebP.
    public func format(for source: ImageFormat, isAnimated: Bool = false, hasAlpha: Bool = false) -> OutputFormat {
        if let format { return format }
        return switch OutputFormat(rawValue: source.id) {
        case .jpeg, nil: hasAlpha ? .webp : .jpeg
        case .png: isAnimated && frame == nil ? .webp : .png
        case let same?: same
        }
    }

    func encoding(_ format: OutputFormat) -> EncodeOptions {
        EncodeOptions(
            format: format, quality: quality, effort: effort, chroma: chroma, background: background,
            isProgressive: isProgressive)
    }

    /// Returns all options that affect the bytes of a variant, for cache keys. If the engine's output changes, increase
    /// the number after `engine`.
    func key(_ variant: Variant) -> String {
        func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "" }
        let colour = background.map { Int($0.red) << 16 | Int($0.green) << 8 | Int($0.blue) }
        return "engine=9;\(variant.key);format=\(format?.rawValue ?? "auto");quality=\(quality)"
            + ";effort=\(effort);chroma=\(chroma.rawValue);background=\(text(colour));backdrop=\(text(backdrop));progressive=\(isProgressive);linear=\(isLinear);profile=\(keepsProfile)"
            + ";metadata=\(metadata.rawValue);hash=\(wantsHash);bytes=\(text(byteLimit));frame=\(text(frame))"
            + ";fps=\(text(framesPerSecond))"
    }
}
