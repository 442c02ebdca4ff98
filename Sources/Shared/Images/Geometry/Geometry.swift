import Formats

/// How a picture meets a size of another shape.
public enum ContentMode: String, Sendable, Hashable, CaseIterable {
    /// All of it is shown; one side may be shorter than asked for.
    case fit
    /// The size is filled; what stands over is cut off.
    case fill
    /// It is stretched to the size, whatever its shape.
    case force
    /// All of it is shown, and the rest of the size filled by a backdrop.
    case contain
}

/// Which part of the picture stays where `fill` cuts.
public enum Gravity: String, Sendable, Hashable, CaseIterable {
    case center, north, northeast, east, southeast, south, southwest, west, northwest
    /// The part that eyes go to: edges, saturated colours, skin.
    case attention
    /// The part that says the most.
    case entropy

    /// How much of what is cut off goes on the left, and on the top. Of those that must see the picture, the middle.
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

    /// How the picture's pixels decide, if they do.
    var saliency: Saliency? {
        switch self {
        case .attention: .attention
        case .entropy: .entropy
        default: nil
        }
    }
}

/// The size that is asked for, and how a picture gets there. All of it is meant for the upright picture.
public struct Geometry: Sendable, Hashable {
    /// Columns at most for `fit`, else exactly; nil follows from the height.
    public var width: Int?
    /// Rows at most for `fit`, else exactly; nil follows from the width.
    public var height: Int?
    /// Width over height, for a side that is not given; nil is as the picture.
    public var aspectRatio: Double?
    public var mode: ContentMode
    public var gravity: Gravity
    /// The point that stays in the middle where `fill` cuts, as far as the edges allow; nil leaves it to the gravity.
    public var focus: Focus?
    /// Whether a picture that is too small is made larger. Else `fit` gives its size, `contain` shows it at its
    /// size, and the other modes give the largest of the right shape for which nothing is enlarged.
    public var enlarges: Bool
    /// The most pixels of what `fit` gives, whatever the picture's shape; nil is any number.
    public var maxPixels: Int?
    /// The part that is looked at; nil is all.
    public var region: Region?
    /// Quarter turns clockwise, after the picture has been turned upright and before anything is measured.
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

    /// Exactly this size, whatever the picture's.
    public static func exactly(_ size: PixelSize) -> Geometry {
        Geometry(width: size.width, height: size.height, mode: .force, enlarges: true)
    }

    /// Both sides if they are known without a picture, each at least 1: those given, and one that follows from the
    /// aspect ratio.
    public var box: (width: Int?, height: Int?) {
        guard let aspectRatio else { return (width, height) }
        switch (width, height) {
        case (let width?, nil): return (width, Self.whole(Double(width) / aspectRatio))
        case (nil, let height?): return (Self.whole(Double(height) * aspectRatio), height)
        default: return (width, height)
        }
    }

    /// How the picture's pixels decide where it is cut, if they do.
    var saliency: Saliency? { focus == nil ? gravity.saliency : nil }

    /// A side, rounded. A caller's absurd number must not overflow; encoders refuse such a size anyway.
    private static func whole(_ side: Double) -> Int { max(Int(min(side.rounded(), 1e9)), 1) }

    /// The output's size and the part of a picture that it shows.
    ///
    /// - Parameter picture: the size of the picture, upright and turned.
    /// Throws `ImageError.regionOutside`.
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

    /// The size is always that of the box; if only its shape is known, the smallest of that shape around the picture.
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
        let wanted = bounds.compactMap { $0 }.min() ?? 1
        let ratio = enlarges ? wanted : min(wanted, 1)
        let size = PixelSize(
            width: min(Self.whole(area.width * ratio), max(box.width ?? .max, 1)),
            height: min(Self.whole(area.height * ratio), max(box.height ?? .max, 1)))
        return Placement(crop: area, target: size, share: ratio / wanted)
    }

    private func filled(
        _ area: Rectangle, _ box: (width: Int?, height: Int?), of picture: PixelSize
    ) -> Placement {
        let shape: (width: Double, height: Double)
        switch box {
        case (let width?, let height?): shape = (Double(width), Double(height))
        case (nil, nil):
            guard let aspectRatio else { return fitted(area, box) }
            // The largest cut of that shape.
            let width = min(area.width, area.height * aspectRatio)
            shape = (width, width / aspectRatio)
        default: return fitted(area, box)
        }
        let wanted = max(shape.width / area.width, shape.height / area.height)
        // What is one but for rounding is one: pixels are then copied.
        let ratio = abs(wanted - 1) < 1e-9 || !enlarges && wanted > 1 ? 1 : wanted
        let share = ratio / wanted
        let target = PixelSize(width: Self.whole(shape.width * share), height: Self.whole(shape.height * share))
        if saliency != nil {
            // All of it is made as large as the cut will be, and cut when it has been seen.
            let cover = PixelSize(
                width: max(Self.whole(area.width * ratio), target.width),
                height: max(Self.whole(area.height * ratio), target.height))
            return Placement(crop: area, target: target, share: share, cover: cover == target ? nil : cover)
        }
        var cut = Rectangle(
            x: 0, y: 0, width: min(shape.width / wanted, area.width), height: min(shape.height / wanted, area.height))
        // If nothing is resampled, whole pixels are taken.
        if ratio == 1 { (cut.width, cut.height) = (Double(target.width), Double(target.height)) }
        if let focus {
            // The focus is a point of the picture, the cut one of the area.
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
        let wanted = (
            width: box.width.map(Double.init) ?? area.width, height: box.height.map(Double.init) ?? area.height
        )
        let share = enlarges ? 1 : min(1, area.width / wanted.width, area.height / wanted.height)
        let target = PixelSize(width: Self.whole(wanted.width * share), height: Self.whole(wanted.height * share))
        return Placement(crop: area, target: target, share: share)
    }
}

/// Where an output comes from: pure numbers, decided before anything is decoded.
struct Placement: Hashable {
    /// The part of the upright picture that is resampled.
    var crop: Rectangle
    /// The output.
    var target: PixelSize
    /// The output's size as a share of what was asked for: below 1 for a picture that is too small.
    var share: Double
    /// What `crop` is made first, if the picture's pixels decide which part of that becomes the output.
    var cover: PixelSize?
    /// What `crop` is made, if that lies in the middle of the output and a backdrop fills the rest.
    var inset: PixelSize?

    /// What comes out of the resampler.
    var rendered: PixelSize { cover ?? inset ?? target }
}
