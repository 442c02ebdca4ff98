import Formats
import Images
import Support

/// The options of a command that select variants.
public struct VariantRequest: Sendable {
    /// The names of variants and styles.
    public var names: [String] = []
    /// The widths, which must be distinct. With a style, a width is in points and replaces the style's width.
    /// Otherwise, widths are in pixels. If there are several, each makes a variant with a name such as `320w`, like a
    /// descriptor in `srcset`.
    public var widths: [Int] = []
    public var height: Int?
    public var aspectRatio: Double?
    /// The size of the variant `fit` in points, which is rounded up to a bucket.
    public var fit: (width: Double, height: Double)?
    /// The scales in pixels per point: at least one, all distinct. If there are several, each makes a variant, which is
    /// named like the image files of an app: `launch-card`, `launch-card@2x`. The default is the scale of most screens.
    public var scales = [2.0]
    /// Whether `fit` is used unchanged, without rounding it up to a bucket.
    public var isExact = false
    /// Whether small pictures are enlarged. If it is nil, they are enlarged only for styles, because the size of a
    /// style is part of a page's layout.
    public var enlarges: Bool?
    public var region: Region?
    public var quarterTurns = 0
    /// This and the following options override the values of styles and variants.
    public var contentMode: ContentMode?
    public var gravity: Gravity?
    /// Overrides the gravity and the focus of records.
    public var focus: Focus?
    public var gradient: Gradient?
    /// The corner radius, in points for styles and otherwise in pixels.
    public var cornerRadius: Double?

    /// The name of a variant that has no style and whose width and height are in pixels.
    static let bareName = "custom"

    public init() {}

    /// Returns the variants of `names` in order and without duplicates, then the variants for `fit`, then the variants
    /// without a style. Throws `UsageFailure` for an unknown name, or for a style without a size.
    public func variants(styles: [Style]) throws -> [Variant] {
        var variants: [Variant] = []
        func add(_ variant: Variant) {
            if !variants.contains(where: { $0.name == variant.name }) { variants.append(variant) }
        }
        let listed = names.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        for name in listed { for variant in try named(name, styles) { add(variant) } }
        if let fit { for scale in scales { add(scaled(overridden(covering(fit, scale)), scale)) } }
        let hasStyle = listed.contains { name in styles.contains { $0.name == name } }
        if widths.count > 1 {
            if hasStyle { throw UsageFailure("a style takes only one --width; to make several widths, omit the style") }
            for width in widths { add(bare(width, named: "\(width)w")) }
        } else if !hasStyle, width != nil || height != nil || aspectRatio != nil {
            add(bare(width, named: Self.bareName))
        }
        return variants
    }

    private var width: Int? { widths.first }

    /// Returns the variant with a name or, if the name is the name of a style, the style's variant for each scale.
    private func named(_ name: String, _ styles: [Style]) throws -> [Variant] {
        if let variant = [Variant.pager, .overlay].first(where: { $0.name == name }) { return [overridden(variant)] }
        guard let style = styles.first(where: { $0.name == name }) else {
            let names = [Variant.pager.name, Variant.overlay.name] + styles.map(\.name)
            // `card` was formerly called `custom`.
            let advice =
                name == Self.bareName ? "; did you mean \(Style.openName)?" : NearMatch.advice(for: name, among: names)
            throw UsageFailure("unknown variant \"\(name)\"\(advice); variants: \(names.joined(separator: ", "))")
        }
        let sized = resized(style)
        guard sized.width != nil || sized.height != nil || sized.aspectRatio != nil else {
            throw UsageFailure("--variant card requires --width, --height or --aspect-ratio")
        }
        return scales.map { scale in
            var variant = overridden(sized.variant(scale: scale), pixelsForPoint: scale)
            variant.geometry.enlarges = enlarges ?? true
            return scaled(variant, scale)
        }
    }

    /// Returns the style with the requested width, height and aspect ratio. A width or height that was not requested is
    /// unchanged, unless the requested ratio determines it.
    private func resized(_ style: Style) -> Style {
        var style = style
        if let aspectRatio {
            style.aspectRatio = aspectRatio
            if width != nil || height != nil || style.width != nil { style.height = nil }
            if height != nil { style.width = nil }
        }
        if let width { style.width = Double(width) }
        if let height { style.height = Double(height) }
        return style
    }

    /// Appends the scale to the variant's name if there are several scales.
    private func scaled(_ variant: Variant, _ scale: Double) -> Variant {
        guard scales.count > 1, scale != 1 else { return variant }
        return variant.named("\(variant.name)@\(Int(scale))x")
    }

    /// Returns the variant for a size in points at a scale. The size is enlarged, so that its longer side is a bucket.
    private func covering(_ fit: (width: Double, height: Double), _ scale: Double) -> Variant {
        let width = max((fit.width * scale).rounded(.up), 1)
        let height = max((fit.height * scale).rounded(.up), 1)
        let long = max(width, height)
        guard !isExact, let bucket = Bucket.covering(Int(long)) else {
            return Variant(name: Variant.fitName, geometry: Geometry(width: Int(width), height: Int(height)))
        }
        // If the whole picture is shown, its longer side may be the width or the height, so use a square. If the
        // picture is cropped, preserve the requested aspect ratio.
        let grown = Double(bucket) / long
        let box = PixelSize(
            width: max(Int((width * grown).rounded()), 1), height: max(Int((height * grown).rounded()), 1))
        return (contentMode ?? .fit) == .fit
            ? Variant(name: Variant.fitName, geometry: Geometry(width: bucket, height: bucket), shape: box)
            : Variant(name: Variant.fitName, geometry: Geometry(width: box.width, height: box.height))
    }

    /// Returns a variant without a style, whose width and height are in pixels. If an aspect ratio is requested, the
    /// picture is cropped.
    private func bare(_ width: Int?, named name: String) -> Variant {
        let mode: ContentMode = aspectRatio != nil ? .fill : .fit
        return overridden(
            Variant(
                name: name, geometry: Geometry(width: width, height: height, aspectRatio: aspectRatio, mode: mode)))
    }

    private func overridden(_ variant: Variant, pixelsForPoint scale: Double = 1) -> Variant {
        var variant = variant
        variant.geometry.enlarges = enlarges ?? false
        variant.geometry.region = region
        variant.geometry.quarterTurns = quarterTurns
        if let contentMode { variant.geometry.mode = contentMode }
        if let gravity { variant.geometry.gravity = gravity }
        variant.geometry.focus = focus
        if let gradient { variant.gradient = gradient }
        if let cornerRadius { variant.cornerRadius = cornerRadius * scale }
        return variant
    }

    /// The variant for options that set no size: the picture in its original size.
    public var unchanged: Variant { overridden(Variant(name: Self.bareName, geometry: Geometry())) }
}

/// Rounds requested sizes up to a few sizes, so that similar requests share a cached variant.
enum Bucket {
    /// The possible lengths of the longer side in pixels. Each is a third or a half longer than the previous length, so
    /// that above 128 pixels, a variant is at most 1.5 times as long as requested.
    static let ladder = [128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096]

    /// Returns the smallest length in `ladder` that is at least `side`, or nil if all are smaller.
    static func covering(_ side: Int) -> Int? { ladder.first { $0 >= side } }
}
