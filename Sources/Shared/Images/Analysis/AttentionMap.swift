import Libc

/// Maps how conspicuous each place of a picture is, and finds the crop that keeps the most conspicuous places.
///
/// Computed in Oklab on at most 64 pixels per side. Weights and thresholds were fitted to photographs of people,
/// animals, flowers, galaxies and objects with hand-marked subjects.
struct AttentionMap {
    private static let side = 64
    private let strength: Plane

    init(_ picture: PixelBuffer) {
        let colours = Colours(picture, atMost: Self.side)
        var sum = Plane(
            width: colours.width, height: colours.height,
            values: [Float](repeating: 0, count: colours.width * colours.height))
        for (feature, weight) in colours.features {
            // Normalizes each feature to its maximum, but does not amplify a feature that is faint everywhere.
            let scale = weight / max(feature.largest, 0.1606)
            for i in sum.values.indices { sum.values[i] += feature.values[i] * scale }
        }
        sum = Self.centred(sum)
        // Transparent pixels are invisible, even if the edge around them is conspicuous.
        if let opacity = colours.opacity { sum = sum.with { sum.values[$0] * opacity.values[$0] } }
        sum = sum.softened(2, times: 1)
        // The threshold removes the background, in which all features are weak. 1e-5 removes the rounding errors of
        // flat pictures, which the power below would amplify.
        let threshold = 1.849 * sum.mean + 0.1786 * sum.largest + 1e-5
        sum.values = sum.values.map { powf(max($0 - threshold, 0), 0.5579) }
        strength = sum
    }

    /// Weights places by their distance from a point slightly above the centre, because most subjects are there.
    private static func centred(_ plane: Plane) -> Plane {
        var centred = plane
        for y in 0..<plane.height {
            let down = (Float(y) + 0.5) / Float(plane.height) * 2 - 0.8928
            for x in 0..<plane.width {
                let across = (Float(x) + 0.5) / Float(plane.width) * 2 - 1
                centred[x, y] *= expf(-1.15 * across * across - 0.5902 * down * down)
            }
        }
        return centred
    }

    /// Returns the position of a crop that keeps `fraction` of the axis: 0 at the left or top edge, 1 at the right or
    /// bottom edge.
    func cropOffset(keeping fraction: Double, along axis: Saliency.Axis) -> Double {
        let profile = profile(axis)
        guard let kept = Saliency.kept(fraction, of: profile.count), !profile.isEmpty,
            profile.contains(where: { $0 > 0 })
        else { return 0.5 }
        let scores = Self.scores(profile, kept, axis)
        let run = Saliency.bestRun(scores, within: 0.1376)
        return Double(run.lowerBound + run.upperBound) / Double(2 * (scores.count - 1))
    }

    /// Returns the share of the total strength that each column or row has, or an empty array if no place is
    /// conspicuous.
    private func profile(_ axis: Saliency.Axis) -> [Double] {
        let isHorizontal = axis == .horizontal
        let (slices, depth) =
            isHorizontal ? (strength.width, strength.height) : (strength.height, strength.width)
        var profile = (0..<slices).map { slice in
            (0..<depth).reduce(0.0) { $0 + Double(isHorizontal ? strength[slice, $1] : strength[$1, slice]) }
        }
        guard profile.reduce(0, +) > 1e-5 * Double(slices * depth) else { return [] }
        if !isHorizontal {
            // The upper part of a subject counts more, because heads matter more than feet.
            let total = profile.reduce(0, +)
            var above = 0.0
            for y in profile.indices {
                above += profile[y]
                profile[y] *= 1 - 0.1297 * above / total
            }
        }
        let total = profile.reduce(0, +)
        return profile.map { $0 / total }
    }

    /// Scores the window of `kept` columns or rows at each position. The score is the strength in the window, with
    /// slightly more weight at the window's centre, minus penalties for cutting through a subject (above all at the
    /// top) and for the distance from the picture's centre.
    private static func scores(_ profile: [Double], _ kept: Int, _ axis: Saliency.Axis) -> [Double] {
        let isHorizontal = axis == .horizontal
        let (count, room) = (profile.count, profile.count - kept)
        let half = Double(kept) / 2
        let weights = (0..<kept).map { place in
            let distance = (Double(place) + 0.5 - half) / half
            return 1 - 0.0296 * distance * distance
        }
        /// Returns the strength of the subject that a crop edge before this slice would cut: the lower strength of the
        /// two adjacent slices, relative to the mean of all slices.
        func cut(_ place: Int) -> Double {
            (1..<count).contains(place) ? min(profile[place - 1], profile[place]) * Double(count) : 0
        }
        return (0...room).map { start in
            let held = (0..<kept).reduce(0.0) { $0 + profile[start + $1] * weights[$1] }
            let cuts = cut(start) * (isHorizontal ? 1 : 4.72) + cut(start + kept)
            let aside = Double(start) / Double(room) - (isHorizontal ? 0.5 : 0.4103)
            let distance = aside * aside * (1 - Double(kept) / Double(count))
            return held - 0.2862 * cuts - (isHorizontal ? 1.171 : 0.324) * distance
        }
    }
}

/// The colours of a picture in Oklab, and the features that make a place conspicuous.
private struct Colours {
    let width: Int
    let height: Int
    private let lightness: Plane
    private let a: Plane
    private let b: Plane
    private let skin: Plane
    /// Nil for an opaque picture.
    let opacity: Plane?

    init(_ picture: PixelBuffer, atMost side: Int) {
        let colours = picture.coloursOnBlack
        let lab = colours.map { Oklab($0) }
        func plane(_ values: [Float]) -> Plane {
            Plane(width: picture.size.width, height: picture.size.height, values: values).averaged(atMost: side)
        }
        lightness = plane(lab.map(\.lightness))
        a = plane(lab.map(\.a))
        b = plane(lab.map(\.b))
        skin = plane(colours.map(Self.skin))
        opacity =
            picture.hasAlpha
            ? plane(
                stride(from: picture.channels - 1, to: picture.bytes.count, by: picture.channels)
                    .map { Float(picture.bytes[$0]) / 255 }) : nil
        (width, height) = (lightness.width, lightness.height)
    }

    /// The features with their weights.
    var features: [(Plane, Float)] {
        [
            (contrast(1, 6), 3.356), (contrast(4, 20), 0.9974), (unlikeTheEdges, 1.175),
            (a.with { (a.values[$0] * a.values[$0] + b.values[$0] * b.values[$0]).squareRoot() }, 0.0433),
            // Reds and yellows attract attention.
            (a.with { max(a.values[$0], 0) + max(b.values[$0], 0) }, 0.515), (skin, 0.0777),
        ]
    }

    private func softened(_ radius: Int, times: Int = 2) -> (lightness: Plane, a: Plane, b: Plane) {
        (
            lightness.softened(radius, times: times), a.softened(radius, times: times),
            b.softened(radius, times: times)
        )
    }

    /// Returns the contrast of each place with its surroundings: the distance between its colours blurred with the
    /// radius `near` and blurred with the radius `far`.
    private func contrast(_ near: Int, _ far: Int) -> Plane {
        let (near, far) = (softened(near), softened(far))
        return lightness.with { i in
            Self.distance(
                near.lightness.values[i] - far.lightness.values[i], near.a.values[i] - far.a.values[i],
                near.b.values[i] - far.b.values[i])
        }
    }

    /// Weights hue more than lightness, because shadows change lightness.
    private static func distance(_ lightness: Float, _ a: Float, _ b: Float) -> Float {
        (lightness * lightness + 2.56 * (a * a + b * b)).squareRoot()
    }

    /// The mean difference of each place from the three most similar edge segments. Colours that continue to the edge
    /// are background.
    private var unlikeTheEdges: Plane {
        let soft = softened(1, times: 1)
        let parts = edges
        return lightness.with { i in
            var distances = parts.map { part in
                Self.distance(
                    soft.lightness.values[i] - part.lightness, soft.a.values[i] - part.a, soft.b.values[i] - part.b)
            }
            distances.sort()
            return distances.prefix(3).reduce(0, +) / 3
        }
    }

    /// The mean colours of four segments of each edge of the picture, a few pixels deep.
    private var edges: [(lightness: Float, a: Float, b: Float)] {
        let depth = 3
        var parts: [(lightness: Float, a: Float, b: Float)] = []
        func add(_ columns: Range<Int>, _ rows: Range<Int>) {
            let places = rows.clamped(to: 0..<height).flatMap { y in
                columns.clamped(to: 0..<width).map { x in y * width + x }
            }
            let count = Float(max(places.count, 1))
            parts.append(
                (
                    places.reduce(0) { $0 + lightness.values[$1] } / count,
                    places.reduce(0) { $0 + a.values[$1] } / count, places.reduce(0) { $0 + b.values[$1] } / count
                ))
        }
        for part in 0..<4 {
            let columns = width * part / 4..<max(width * (part + 1) / 4, width * part / 4 + 1)
            let rows = height * part / 4..<max(height * (part + 1) / 4, height * part / 4 + 1)
            add(columns, 0..<depth)
            add(columns, height - depth..<height)
            add(0..<depth, rows)
            add(width - depth..<width, rows)
        }
        return parts
    }

    /// Returns the likelihood of skin of any shade: 1 in the centre of an ellipse of Rec. 601 chroma, Cb 77...127 and
    /// Cr 133...173, and 0 outside (Chai and Ngan, "Face segmentation using skin-color map in videophone applications",
    /// 1999).
    private static func skin(_ pixel: RGB) -> Float {
        let luma = Float(pixel.luma)
        guard luma > 60 else { return 0 }
        let blue = (0.564 * (Float(pixel.blue) - luma) + 26) / 25
        let red = (0.713 * (Float(pixel.red) - luma) - 25) / 20
        return max(1 - blue * blue - red * red, 0)
    }
}

extension Plane {
    fileprivate func with(_ value: (Int) -> Float) -> Plane {
        Plane(width: width, height: height, values: values.indices.map(value))
    }
}
