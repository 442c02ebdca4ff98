import Formats
import Images

/// What a picture is wanted as, under a name of its own: all in pixels.
public struct Variant: Sendable, Hashable {
    /// Stands in records under `variants` and in file names.
    public let name: String
    /// The size, and how a picture gets there.
    public var geometry: Geometry
    public var gradient: Gradient
    public var cornerRadius: Double
    /// The size that was asked for, if the geometry is of another shape: what a placeholder for it measures.
    var shape: PixelSize?

    /// For a page of pictures: fits 1024x1024.
    public static let pager = bucket("pager", 1024)
    /// For one picture over everything else: fits 2048x2048.
    public static let overlay = bucket("overlay", 2048)

    /// - Parameter name: stands in records and in file names.
    public init(name: String, geometry: Geometry, gradient: Gradient = .none, cornerRadius: Double = 0) {
        self.name = name
        self.geometry = geometry
        self.gradient = gradient
        self.cornerRadius = cornerRadius
    }

    /// What a wish for a size in points is called.
    static let fitName = "fit"

    /// What a picture's own thumbnail is called.
    static let thumbnailName = "thumbnail"

    /// Names that no style can have.
    static let reservedNames = [pager.name, overlay.name, fitName, thumbnailName, VariantRequest.bareName]

    private static func bucket(_ name: String, _ side: Int) -> Variant {
        Variant(name: name, geometry: Geometry(width: side, height: side))
    }

    /// The same under another name.
    func named(_ name: String) -> Variant {
        var variant = Variant(name: name, geometry: geometry)
        (variant.gradient, variant.cornerRadius, variant.shape) = (gradient, cornerRadius, shape)
        return variant
    }

    /// Every option that changes the variant's bytes, as the cache's key wants it.
    var key: String {
        func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "" }
        let box = geometry.box
        return "size=\(text(box.width))x\(text(box.height));ratio=\(text(geometry.aspectRatio))"
            + ";mode=\(geometry.mode.rawValue);gravity=\(geometry.gravity.rawValue);focus=\(text(geometry.focus));enlarge=\(geometry.enlarges)"
            + ";region=\(text(geometry.region));turns=\(geometry.quarterTurns);gradient=\(gradient.rawValue)"
            + ";radius=\(cornerRadius)\(geometry.maxPixels.map { ";pixels=\($0)" } ?? "")"
    }
}
