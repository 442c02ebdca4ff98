import Formats

/// How to fit a picture into a size of another aspect ratio.
public enum ContentMode: String, Sendable, Hashable, CaseIterable {
    /// Shows the whole picture; a side may be shorter than requested.
    case fit
    /// Fills the size with a crop of the picture.
    case fill
    /// Stretches the picture to the size.
    case force
    /// Shows the whole picture on a backdrop that fills the size.
    case contain
}

/// The part of the picture that a `fill` crop keeps.
public enum Gravity: String, Sendable, Hashable, CaseIterable {
    case center, north, northeast, east, southeast, south, southwest, west, northwest
    /// The part that attracts attention (`Saliency.attention`).
    case attention
    /// The part with the highest entropy.
    case entropy

    /// The position of the crop: the fraction of the removed width that is left of the crop, and the fraction of the
    /// removed height that is above the crop. Both are 0.5 for gravities that depend on pixels.
    var share: (left: Double, top: Double) {
        switch self {
        case .center, .attention, .entropy: (0.5, 0.5)
        case .north: (0.5, 0)
        case .northeast: (1, 0)
        case .east: (1, 0.5)
        case .southeast: (1, 1)
        case .south: (0.5, 1)
        case .southwest: (0, 1)
        case .west: (0, 0.5)
        case .northwest: (0, 0)
        }
    }

    /// The analysis that determines the crop; nil if the crop does not depend on pixels.
    var saliency: Saliency? {
        switch self {
        case .attention: .attention
        case .entropy: .entropy
        default: nil
        }
    }
}

/// The requested size, and how to fit a picture into it. All values refer to the upright picture.
public struct Geometry: Sendable, Hashable {
    /// The maximum width for `fit`, otherwise the exact width. Nil derives it from the height.
    public var width: Int?
    /// The maximum height for `fit`, otherwise the exact height. Nil derives it from the width.
    public var height: Int?
    /// Width divided by height, to derive a missing side. Nil uses the picture's aspect ratio.
    public var aspectRatio: Double?
    public var mode: ContentMode
    public var gravity: Gravity
    /// The point that a `fill` crop keeps as close to its centre as the edges allow; nil uses the gravity.
    public var focus: Focus?
    /// Whether to enlarge small pictures. If not, `fit` and `contain` keep their size, and the other modes use the
    /// largest size with the requested aspect ratio that does not enlarge the picture.
    public var enlarges: Bool
    /// The maximum number of pixels for `fit`; nil is unlimited.
    public var maxPixels: Int?
    /// The part of the picture to use; nil uses all of it.
    public var region: Region?
    /// The number of clockwise quarter turns of the upright picture. All other values refer to the turned picture.
    public var quarterTurns: Int

    public init(
        width: Int? = nil, height: Int? = nil, aspectRatio: Double? = nil, mode: ContentMode = .fit,
        gravity: Gravity = .center, focus: Focus? = nil, enlarges: Bool = false, region: Region? = nil,
        quarterTurns: Int = 0
    ) {
        self.width = width
        self.height = height
        self.aspectRatio = aspectRatio
        self.mode = mode
        self.gravity = gravity
        self.focus = focus
        self.enlarges = enlarges
        self.region = region
        self.quarterTurns = quarterTurns
    }

    /// Stretches any picture to exactly this size.
    public static func exactly(_ size: PixelSize) -> Geometry {
        Geometry(width: size.width, height: size.height, mode: .force, enlarges: true)
    }

    /// The sides that are known without a picture: `width`, `height`, or a side of at least 1 derived from
    /// `aspectRatio`.
    public var box: (width: Int?, height: Int?) {
        guard let aspectRatio else { return (width, height) }
        switch (width, height) {
        case (let width?, nil): return (width, Self.whole(Double(width) / aspectRatio))
        case (nil, let height?): return (Self.whole(Double(height) * aspectRatio), height)
        default: return (width, height)
        }
    }

    /// The analysis that determines the crop; nil if the crop does not depend on pixels.
    var saliency: Saliency? { focus == nil ? gravity.saliency : nil }

    /// Rounds a side to at least 1. The upper bound prevents overflow; encoders reject sides of this length.
    private static func whole(_ side: Double) -> Int { max(Int(min(side.rounded(), 1e9)), 1) }

    /// Returns the size of the output, and the part of the picture that the output shows. Throws
    /// `ImageError.regionOutside`.
    ///
    /// - Parameter picture: the size of the upright, turned picture.
    func placement(of picture: PixelSize) throws(ImageError) -> Placement {
        let area = try region?.rectangle(in: picture) ?? Rectangle(picture)
        let box = box
        switch mode {
        case .fit: return fitted(area, box)
        case .fill: return filled(area, box, of: picture)
        case .force: return stretched(area, box)
        case .contain: return contained(area, box)
        }
    }

    /// Centres the picture in the box. If only the aspect ratio is known, uses the smallest box that contains the
    /// picture.
    private func contained(_ area: Rectangle, _ box: (width: Int?, height: Int?)) -> Placement {
        var shape = box
        if let aspectRatio, box.width == nil, box.height == nil {
            let width = max(area.width, area.height * aspectRatio)
            shape = (Self.whole(width), Self.whole(width / aspectRatio))
        }
        guard let width = shape.width, let height = shape.height else { return fitted(area, box) }
        let target = PixelSize(width: max(width, 1), height: max(height, 1))
        let picture = fitted(area, (target.width, target.height)).target
        return Placement(crop: area, target: target, share: 1, inset: picture == target ? nil : picture)
    }

    private func fitted(_ area: Rectangle, _ box: (width: Int?, height: Int?)) -> Placement {
        let bounds = [
            box.width.map { Double($0) / area.width }, box.height.map { Double($0) / area.height },
            maxPixels.map { (Double($0) / (area.width * area.height)).squareRoot() },
        ]
        let requested = bounds.compactMap { $0 }.min() ?? 1
        let ratio = enlarges ? requested : min(requested, 1)
        let size = PixelSize(
            width: min(Self.whole(area.width * ratio), max(box.width ?? .max, 1)),
            height: min(Self.whole(area.height * ratio), max(box.height ?? .max, 1)))
        return Placement(crop: area, target: size, share: ratio / requested)
    }

    private func filled(_ area: Rectangle, _ box: (width: Int?, height: Int?), of picture: PixelSize) -> Placement {
        let shape: (width: Double, height: Double)
        switch box {
        case (let width?, let height?): shape = (Double(width), Double(height))
        case (nil, nil):
            guard let aspectRatio else { return fitted(area, box) }
            // The largest crop with this aspect ratio.
            let width = min(area.width, area.height * aspectRatio)
            shape = (width, width / aspectRatio)
        default: return fitted(area, box)
        }
        let requested = max(shape.width / area.width, shape.height / area.height)
        // Rounds a ratio very close to 1, so that pixels are copied.
        let ratio = abs(requested - 1) < 1e-9 || !enlarges && requested > 1 ? 1 : requested
        let share = ratio / requested
        let target = PixelSize(width: Self.whole(shape.width * share), height: Self.whole(shape.height * share))
        if saliency != nil {
            // Renders the whole area at the scale of the output. The crop is chosen when the pixels are known.
            let cover = PixelSize(
                width: max(Self.whole(area.width * ratio), target.width),
                height: max(Self.whole(area.height * ratio), target.height))
            return Placement(crop: area, target: target, share: share, cover: cover == target ? nil : cover)
        }
        var cut = Rectangle(
            x: 0, y: 0, width: min(shape.width / requested, area.width),
            height: min(shape.height / requested, area.height))
        // Without resampling, the crop must consist of whole pixels.
        if ratio == 1 { (cut.width, cut.height) = (Double(target.width), Double(target.height)) }
        if let focus {
            // The focus is relative to the picture, but the crop must stay within the region.
            cut.x = min(max(focus.x * Double(picture.width) - cut.width / 2, area.x), area.x + area.width - cut.width)
            cut.y = min(
                max(focus.y * Double(picture.height) - cut.height / 2, area.y), area.y + area.height - cut.height)
        } else {
            cut.x = area.x + (area.width - cut.width) * gravity.share.left
            cut.y = area.y + (area.height - cut.height) * gravity.share.top
        }
        if ratio == 1 { (cut.x, cut.y) = (cut.x.rounded(.down), cut.y.rounded(.down)) }
        return Placement(crop: cut, target: target, share: share)
    }

    private func stretched(_ area: Rectangle, _ box: (width: Int?, height: Int?)) -> Placement {
        let (width, height) = (box.width.map(Double.init) ?? area.width, box.height.map(Double.init) ?? area.height)
        let share = enlarges ? 1 : min(1, area.width / width, area.height / height)
        let target = PixelSize(width: Self.whole(width * share), height: Self.whole(height * share))
        return Placement(crop: area, target: target, share: share)
    }
}

/// The size of an output and the part of the picture that the output shows, computed before decoding.
struct Placement: Hashable {
    /// The part of the upright picture to resample.
    var crop: Rectangle
    var target: PixelSize
    /// The output's size as a fraction of the requested size: less than 1 for a small picture that is not enlarged.
    var share: Double
    /// The rendered size of `crop`, if the pixels determine which part of it becomes the output.
    var cover: PixelSize?
    /// The rendered size of `crop`, if it is centred on a backdrop.
    var inset: PixelSize?

    var rendered: PixelSize { cover ?? inset ?? target }
}

/// The point of a picture that a crop keeps as close to its centre as the edges allow.
public struct Focus: Sendable, Hashable, CustomStringConvertible {
    /// Fractions of the upright picture's sides, 0...1 from the left and from the top.
    public let x: Double
    public let y: Double

    /// Returns nil unless both fractions are 0...1.
    public init?(x: Double, y: Double) {
        guard (0...1).contains(x), (0...1).contains(y) else { return nil }
        (self.x, self.y) = (x, y)
    }

    /// Parses `40%,30%` or `0.4,0.3`. Returns nil if the text is invalid or the point is outside the picture.
    public init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { part -> Double? in
            part.hasSuffix("%") ? Double(part.dropLast()).map { $0 / 100 } : Double(part)
        }
        guard parts.count == 2, let x = parts[0], let y = parts[1] else { return nil }
        self.init(x: x, y: y)
    }

    public var description: String { "\(x),\(y)" }
}
