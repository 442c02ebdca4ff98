import Images
import Support

/// What was asked for, to be turned into variants: the options of a command, read but not yet put together.
public struct VariantRequest: Sendable {
    /// Variants and styles by name.
    public var names: [String] = []
    /// For `custom` in points, alone in pixels.
    public var width: Int?
    public var height: Int?
    public var aspectRatio: Double?
    /// A box in points that is to be covered.
    public var fit: (width: Double, height: Double)?
    /// Pixels for each point.
    public var scale = standardScale
    /// Whether `fit` is not rounded up to a bucket.
    public var isExact = false
    public var enlarges = false
    public var region: Region?
    public var quarterTurns = 0
    /// What overrides the variants' own.
    public var contentMode: ContentMode?
    public var gravity: Gravity?
    public var gradient: Gradient?
    /// In points for styles, else in pixels.
    public var cornerRadius: Double?

    /// Most screens have two pixels for a point.
    public static let standardScale = 2.0

    public init() {}

    /// The variants: those named, in their order, each once, then those of `fit`, then of bare sides. Throws
    /// `UsageFailure` for a name that is none, or a custom style without a size.
    public func variants(styles: [Style]) throws -> [Variant] {
        var variants: [Variant] = []
        func add(_ variant: Variant) {
            if !variants.contains(where: { $0.name == variant.name }) { variants.append(variant) }
        }
        let listed = names.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        for name in listed { add(try named(name, styles)) }
        if let fit { add(overridden(covering(fit), pixelsForPoint: 1)) }
        let hasSide = width != nil || height != nil || aspectRatio != nil
        if hasSide && !listed.contains(Style.customName) { add(bare) }
        return variants
    }

    private func named(_ name: String, _ styles: [Style]) throws -> Variant {
        if let variant = [Variant.pager, .overlay].first(where: { $0.name == name }) {
            return overridden(variant, pixelsForPoint: 1)
        }
        guard var style = styles.first(where: { $0.name == name }) else {
            let names = [Variant.pager.name, Variant.overlay.name] + styles.map(\.name)
            throw UsageFailure(
                "there is no variant \"\(name)\"\(NearMatch.advice(for: name, among: names)); there are"
                    + " \(names.joined(separator: ", "))")
        }
        if name == Style.customName {
            if let width { style.width = Double(width) }
            if let height { style.height = Double(height) }
            if let aspectRatio { style.aspectRatio = aspectRatio }
            guard style.width != nil || style.height != nil || style.aspectRatio != nil else {
                throw UsageFailure("--variant custom wants a size: --width, --height or --aspect-ratio")
            }
        }
        return overridden(style.variant(scale: scale), pixelsForPoint: scale)
    }

    /// A box of points, at the device's scale, rounded up to the bucket of its long side.
    private func covering(_ fit: (width: Double, height: Double)) -> Variant {
        let width = max((fit.width * scale).rounded(.up), 1)
        let height = max((fit.height * scale).rounded(.up), 1)
        let long = max(width, height)
        let bucket = isExact ? nil : Bucket.covering(Int(long))
        guard let bucket else {
            return Variant(name: Variant.fitName, geometry: Geometry(width: Int(width), height: Int(height)))
        }
        // All of a picture is shown: its own long side decides, whichever that is. A cut keeps the box's shape.
        if (contentMode ?? .fit) == .fit {
            return Variant(name: Variant.fitName, geometry: Geometry(width: bucket, height: bucket))
        }
        let grown = Double(bucket) / long
        return Variant(
            name: Variant.fitName,
            geometry: Geometry(
                width: Int((width * grown).rounded()), height: Int((height * grown).rounded())))
    }

    /// Sides in pixels, without a style. An aspect ratio alone is a cut.
    private var bare: Variant {
        let mode: ContentMode = aspectRatio != nil ? .fill : .fit
        return overridden(
            Variant(
                name: Style.customName,
                geometry: Geometry(width: width, height: height, aspectRatio: aspectRatio, mode: mode)),
            pixelsForPoint: 1)
    }

    private func overridden(_ variant: Variant, pixelsForPoint scale: Double) -> Variant {
        var variant = variant
        variant.geometry.enlarges = enlarges
        variant.geometry.region = region
        variant.geometry.quarterTurns = quarterTurns
        if let contentMode { variant.geometry.mode = contentMode }
        if let gravity { variant.geometry.gravity = gravity }
        if let gradient { variant.gradient = gradient }
        if let cornerRadius { variant.cornerRadius = cornerRadius * scale }
        return variant
    }

    /// The picture as it is, for options that want no size.
    public var unchanged: Variant {
        overridden(Variant(name: Style.customName, geometry: Geometry()), pixelsForPoint: 1)
    }
}

/// The ladder of sizes that wishes are rounded up to, so that near ones share a variant in the cache.
enum Bucket {
    /// Pixels on the long side. Steps of a third to a half: no picture is more than half as long again as
    /// was asked for.
    static let ladder = [128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096]

    /// The smallest step that covers `side` pixels; nil above the ladder, where nothing is rounded.
    static func covering(_ side: Int) -> Int? { ladder.first { $0 >= side } }
}
