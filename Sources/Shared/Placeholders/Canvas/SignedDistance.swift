import Images

/// Signed distances to shapes, in pixels: negative inside, positive outside, 0 on the edge.
///
/// All distances are 1-Lipschitz: at two points, they differ by at most the distance between the points. `min`, `max`
/// and negation (union, intersection, complement) preserve this property, which `Canvas.fill` requires.
enum SignedDistance {
    struct Point: Sendable, Hashable {
        var x: Double, y: Double

        init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

        func distance(to other: Point) -> Double {
            ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
        }
    }

    static func circle(_ point: Point, center: Point, radius: Double) -> Double {
        point.distance(to: center) - radius
    }

    /// A rectangle with corners `low` and `high`, rounded by `radius`.
    static func box(_ point: Point, _ low: Point, _ high: Point, radius: Double = 0) -> Double {
        let x = abs(point.x - (low.x + high.x) / 2) - (high.x - low.x) / 2 + radius
        let y = abs(point.y - (low.y + high.y) / 2) - (high.y - low.y) / 2 + radius
        let outside = (max(x, 0) * max(x, 0) + max(y, 0) * max(y, 0)).squareRoot()
        return outside + min(max(x, y), 0) - radius
    }

    /// A line with rounded ends.
    static func capsule(_ point: Point, _ start: Point, _ end: Point, width: Double) -> Double {
        point.distance(to: nearest(to: point, start, end)) - width / 2
    }

    /// A triangle with corners in any order, enlarged by `radius` on all sides, which rounds its corners.
    static func triangle(_ point: Point, _ a: Point, _ b: Point, _ c: Point, radius: Double = 0) -> Double {
        let distance = min(
            point.distance(to: nearest(to: point, a, b)), point.distance(to: nearest(to: point, b, c)),
            point.distance(to: nearest(to: point, c, a)))
        let (ab, bc, ca) = (side(point, a, b), side(point, b, c), side(point, c, a))
        let isWithin = ab >= 0 && bc >= 0 && ca >= 0 || ab <= 0 && bc <= 0 && ca <= 0
        return (isWithin ? -distance : distance) - radius
    }

    /// The union of two shapes with a fillet of the given size between them.
    static func merged(_ one: Double, _ other: Double, softness: Double) -> Double {
        let share = max(softness - abs(one - other), 0) / softness
        return min(one, other) - share * share * softness / 4
    }

    /// The border of a shape: the part inside the shape within `width` of its edge.
    static func ring(_ distance: Double, width: Double) -> Double { max(distance, -(distance + width)) }

    private static func nearest(to point: Point, _ start: Point, _ end: Point) -> Point {
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        let length = dx * dx + dy * dy
        if length == 0 { return start }
        let share = min(max(((point.x - start.x) * dx + (point.y - start.y) * dy) / length, 0), 1)
        return Point(start.x + share * dx, start.y + share * dy)
    }

    private static func side(_ point: Point, _ start: Point, _ end: Point) -> Double {
        (end.x - start.x) * (point.y - start.y) - (end.y - start.y) * (point.x - start.x)
    }
}

extension Canvas {
    /// Fills a shape within `rect` with an anti-aliased edge. `distance` returns the signed distance of a point,
    /// measured from the top left corner of `rect`.
    ///
    /// For a square of pixels that the edge does not cross, `distance` is evaluated only at the centre. The cost
    /// therefore grows with the length of the edge and the painted area.
    mutating func fill(_ color: RGB, in rect: PixelRect, distance: (SignedDistance.Point) -> Double) {
        let step = 16
        // The distance from a square's centre to its corners, plus half a pixel for anti-aliasing.
        let reach = Double(step) * 0.7072 + 0.5
        for top in stride(from: rect.y, to: rect.maxY, by: step) {
            for left in stride(from: rect.x, to: rect.maxX, by: step) {
                let square = PixelRect(x: left, y: top, width: step, height: step).intersection(rect)
                let middle = SignedDistance.Point(
                    Double(left - rect.x) + Double(step) / 2, Double(top - rect.y) + Double(step) / 2)
                let there = distance(middle)
                if there > reach { continue }
                if there < -reach {
                    blend(color, in: square) { _, _ in 255 }
                    continue
                }
                blend(color, in: square) { x, y in
                    let point = SignedDistance.Point(Double(x - rect.x) + 0.5, Double(y - rect.y) + 0.5)
                    return Int((min(max(0.5 - distance(point), 0), 1) * 255).rounded())
                }
            }
        }
    }
}
