import Formats
import Images

/// How variants are encoded, whatever their size.
public struct Rendition: Sendable, Hashable {
    /// Nil is as the source.
    public var format: OutputFormat?
    /// 1 to 100; for PNG without meaning.
    public var quality: Int

    /// The quality of a picture for which none is named: the point from which on most people see no difference beside
    /// the original at these sizes.
    public static let standardQuality = 82

    public init(format: OutputFormat? = nil, quality: Int = standardQuality) {
        self.format = format
        self.quality = quality
    }

    /// The format that a picture of this format is written in.
    public func format(for source: ImageFormat) -> OutputFormat {
        if let format { return format }
        return switch source {
        case .jpeg: .jpeg
        case .png: .png
        case .gif: .gif
        case .webp: .webp
        }
    }

    public func encoding(for source: ImageFormat) -> EncodeOptions {
        EncodeOptions(format: format(for: source), quality: quality)
    }

    /// Every option that changes the bytes of a variant, and the engine's version, as the cache's key wants it. Whoever
    /// changes what the engine makes raises the version.
    func key(_ variant: Variant) -> String {
        func side(_ bound: Int?) -> String { bound.map(String.init) ?? "" }
        return "engine=1;fit=\(side(variant.box.width))x\(side(variant.box.height));enlarge=\(variant.box.enlarges)"
            + ";format=\(format?.rawValue ?? "auto");quality=\(quality)"
    }
}
