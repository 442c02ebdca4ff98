import Formats
import Images

/// A requested version of a picture. Lengths are in pixels.
public struct Variant: Sendable, Hashable {
    /// The variant's name in file names and in the record field `variants`.
    public private(set) var name: String
    public var geometry: Geometry
    public var gradient: Gradient
    public var cornerRadius: Double
    /// Whether the whole picture is cut into tiles (`TileLevel`), which only a `ContentFolder` can store.
    public var isTiled = false
    /// The only frame of an animation to show, counted from 0, or nil for the frames that the settings select.
    public var frame: Int?
    /// The requested size if `geometry` is a square bucket, otherwise nil. Placeholders are drawn in this size.
    var shape: PixelSize?

    /// The variant for views that show one picture per page. Fits 1024x1024.
    public static let pager = bucket("pager", 1024)
    /// The variant for a single picture that fills the screen. Fits 2048x2048.
    public static let overlay = bucket("overlay", 2048)

    public init(
        name: String, geometry: Geometry, gradient: Gradient = .none, cornerRadius: Double = 0, shape: PixelSize? = nil
    ) {
        self.name = name
        self.geometry = geometry
        self.gradient = gradient
        self.cornerRadius = cornerRadius
        self.shape = shape
    }

    /// The name of the variant for a size in points that `--fit` sets.
    static let fitName = "fit"
    /// The name of the variant that is made from the embedded thumbnail.
    static let thumbnailName = "thumbnail"
    /// The names that styles in the configuration file must not have.
    static let reservedNames = [pager.name, overlay.name, fitName, thumbnailName, VariantRequest.bareName]

    private static func bucket(_ name: String, _ side: Int) -> Variant {
        Variant(name: name, geometry: Geometry(width: side, height: side))
    }

    func named(_ name: String) -> Variant {
        var variant = self
        variant.name = name
        return variant
    }

    /// A text with all properties that affect the variant's bytes, for the cache key.
    var key: String {
        func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "" }
        let box = geometry.box
        return "size=\(text(box.width))x\(text(box.height));ratio=\(text(geometry.aspectRatio))"
            + ";mode=\(geometry.mode.rawValue);gravity=\(geometry.gravity.rawValue);focus=\(text(geometry.focus));enlarge=\(geometry.enlarges)"
            + ";region=\(text(geometry.region));turns=\(geometry.quarterTurns);gradient=\(gradient.rawValue)"
            + ";radius=\(cornerRadius)\(geometry.maxPixels.map { ";pixels=\($0)" } ?? "")\(isTiled ? ";tiles" : "")"
    }
}
