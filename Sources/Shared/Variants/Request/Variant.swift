import Formats
import Images

/// A requested version of a picture, in pixels.
public struct Variant: Sendable, Hashable {
    /// The name under `variants` in records and in file names.
    public let name: String
    public var geometry: Geometry
    public var gradient: Gradient
    public var cornerRadius: Double
    /// The requested size, if the geometry is a square bucket instead. Used for placeholders.
    var shape: PixelSize?

    /// For pages of pictures: fits 1024x1024.
    public static let pager = bucket("pager", 1024)
    /// For a single picture that fills the screen: fits 2048x2048.
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

    /// The name of a variant for a size in points.
    static let fitName = "fit"
    /// The name of the embedded thumbnail.
    static let thumbnailName = "thumbnail"
    /// Names that configured styles cannot have.
    static let reservedNames = [pager.name, overlay.name, fitName, thumbnailName, VariantRequest.bareName]

    private static func bucket(_ name: String, _ side: Int) -> Variant {
        Variant(name: name, geometry: Geometry(width: side, height: side))
    }

    func named(_ name: String) -> Variant {
        Variant(name: name, geometry: geometry, gradient: gradient, cornerRadius: cornerRadius, shape: shape)
    }

    /// All options that affect the variant's bytes, for cache keys.
    var key: String {
        func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "" }
        let box = geometry.box
        return "size=\(text(box.width))x\(text(box.height));ratio=\(text(geometry.aspectRatio))"
            + ";mode=\(geometry.mode.rawValue);gravity=\(geometry.gravity.rawValue);focus=\(text(geometry.focus));enlarge=\(geometry.enlarges)"
            + ";region=\(text(geometry.region));turns=\(geometry.quarterTurns);gradient=\(gradient.rawValue)"
            + ";radius=\(cornerRadius)\(geometry.maxPixels.map { ";pixels=\($0)" } ?? "")"
    }
}
