import Formats
import Images

/// The settings for drawing and encoding variants, except for their size.
public struct EncodeSettings: Sendable, Hashable {
    /// The metadata that variants keep.
    public enum Metadata: String, Sendable, Hashable {
        /// No metadata, because metadata may reveal where a picture was taken.
        case stripped
        /// The creator and the copyright.
        case copyright
        /// EXIF and XMP.
        case kept
    }

    /// The output format, or nil for the format of the source.
    public var format: OutputFormat?
    /// Whether to write WebP instead of PNG if `format` is nil. WebP is smaller: lossless for few colours, else lossy.
    public var avoidsPNG = false
    /// From 1 to 100. Ignored for PNG.
    public var quality: Int
    /// From 0 to 9. Higher values take longer and make smaller files.
    public var effort: Int
    public var chroma = ChromaChoice.auto
    /// The colour behind transparent pixels and rounded corners in GIFs and in formats without alpha, or nil for the
    /// default of `EncodeOptions`.
    public var background: RGB?
    /// The filling of the area beside a picture whose aspect ratio differs from the size, or nil for the background
    /// colour.
    public var backdrop: Backdrop?
    public var isProgressive = false
    /// Whether colours are mixed in linear light.
    public var isLinear = false
    public var keepsProfile = false
    public var metadata = Metadata.stripped
    public var wantsHash = false
    public var byteLimit: Int?
    /// The only frame of an animation to use, counted from 0, or nil for all frames if the format supports animations.
    public var frame: Int?
    /// The maximum frame rate of an animation, or nil for no limit.
    public var framesPerSecond: Double?

    public init(format: OutputFormat? = nil, quality: Int, effort: Int, background: RGB? = nil) {
        self.format = format
        self.quality = quality
        self.effort = effort
        self.background = background
    }

    /// Returns `format` or, if it is nil, the format of the source, or JPEG if the source's format cannot be written.
    /// Returns WebP instead of a JPEG with alpha or an animated PNG, and with `avoidsPNG` instead of any PNG.
    public func format(for source: ImageFormat, isAnimated: Bool = false, hasAlpha: Bool = false) -> OutputFormat {
        if let format { return format }
        return switch OutputFormat(rawValue: source.id) {
        case .jpeg, nil: hasAlpha ? .webp : .jpeg
        case .png: avoidsPNG || isAnimated && frame == nil ? .webp : .png
        case let same?: same
        }
    }

    func encoding(_ format: OutputFormat) -> EncodeOptions {
        EncodeOptions(
            format: format, quality: quality, effort: effort, chroma: chroma, background: background,
            isProgressive: isProgressive)
    }

    /// Returns the only frame of an animation that a variant shows, or nil for all frames.
    func frame(of variant: Variant) -> Int? { variant.frame ?? frame }

    /// Returns a text with all settings that affect the bytes of a variant, for the cache key. Increase the number
    /// after `engine` whenever the engine's output changes.
    func key(_ variant: Variant) -> String {
        func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "" }
        let colour = background.map { Int($0.red) << 16 | Int($0.green) << 8 | Int($0.blue) }
        let format = format?.rawValue ?? (avoidsPNG ? "no-png" : "auto")
        return "engine=10;\(variant.key);format=\(format);quality=\(quality)"
            + ";effort=\(effort);chroma=\(chroma.rawValue);background=\(text(colour));backdrop=\(text(backdrop));progressive=\(isProgressive);linear=\(isLinear);profile=\(keepsProfile)"
            + ";metadata=\(metadata.rawValue);hash=\(wantsHash);bytes=\(text(byteLimit));frame=\(text(frame(of: variant)))"
            + ";fps=\(text(framesPerSecond))"
    }
}
