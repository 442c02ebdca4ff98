import Formats
import Libc

/// What decides which part of a picture a crop keeps.
///
/// Both look at a small picture (256 pixels along its longer side are plenty) and give the same for the same pixels.
/// O(pixels), some milliseconds.
public enum Saliency: String, Sendable, Hashable, CaseIterable {
    /// What eyes are drawn to: detail, colours that are strong or unlike the rest of the picture, and those of skin.
    case attention
    /// The most information: the greatest Shannon entropy of the levels of gray.
    case entropy

    /// The direction in which a crop can be moved.
    public enum Axis: Sendable, Hashable, CaseIterable {
        case horizontal, vertical
    }

    /// Where the crop belongs, 0...1: 0 at the left or top edge, ½ in the middle, 1 at the right or bottom edge.
    ///
    /// If several places next to each other are as good, as in a flat picture or around a small subject, it is the
    /// middle of them, so that a little noise moves it a little only.
    ///
    /// - Parameters:
    ///   - fraction: how much of the axis the crop keeps, 0...1.
    public func cropOffset(in picture: PixelBuffer, keeping fraction: Double, along axis: Axis) -> Double {
        let map = PixelMap(picture, axis)
        // A fraction that is no number keeps everything.
        let kept = fraction < 1 ? max(Int((Double(map.slices) * max(fraction, 0)).rounded()), 1) : map.slices
        guard kept < map.slices else { return 0.5 }
        let scores =
            switch self {
            case .attention: attentionScores(map, kept)
            case .entropy: entropyScores(map, kept)
            }
        return Double(middleOfTheBest(scores)) / Double(2 * (map.slices - kept))
    }

    /// Twice the middle of the run of places around the best one that are nearly as good: within a fiftieth of the
    /// range of all scores, and 0.3 % of the best. Of equal ones, the run around the place next to the middle.
    private func middleOfTheBest(_ scores: [Double]) -> Int {
        let best = scores.max() ?? 0
        let worst = scores.min() ?? 0
        let enough = best - (best - worst) / 50 - best * 0.003
        let last = scores.count - 1
        let found = scores.indices.filter { scores[$0] == best }.min { abs(2 * $0 - last) < abs(2 * $1 - last) } ?? 0
        var (low, high) = (found, found)
        while low > 0, scores[low - 1] >= enough { low -= 1 }
        while high < last, scores[high + 1] >= enough { high += 1 }
        return low + high
    }

    /// The entropy, in bits, of the levels of luma in each window of `kept` slices. The histogram moves along: what
    /// leaves on one side and comes on the other is counted once.
    private func entropyScores(_ map: PixelMap, _ kept: Int) -> [Double] {
        var histogram = [Int](repeating: 0, count: 64)
        func count(_ slice: Int, _ step: Int) {
            for i in 0..<map.depth { histogram[Int(map.luma[map.index(slice, i)]) / 4] += step }
        }
        for slice in 0..<kept { count(slice, 1) }
        var scores: [Double] = []
        for start in 0...map.slices - kept {
            let total = Double(kept * map.depth)
            scores.append(
                histogram.reduce(0) { sum, n in
                    n == 0 ? sum : sum - Double(n) / total * log2(Double(n) / total)
                })
            if start + kept < map.slices {
                count(start, -1)
                count(start + kept, 1)
            }
        }
        return scores
    }

    /// How much that draws the eye each window of `kept` slices has; what is near its middle counts up to twice as
    /// much as what is at its edge, and a window at the picture's edge has up to a tenth less than one in the middle.
    private func attentionScores(_ map: PixelMap, _ kept: Int) -> [Double] {
        let profile = map.attentionProfile()
        let half = Double(kept) / 2
        let weights = (0..<kept).map { place in
            let distance = (Double(place) + 0.5 - half) / half
            return 1 - distance * distance / 2
        }
        let room = map.slices - kept
        return (0...room).map { start in
            let sum = (0..<kept).reduce(0.0) { $0 + profile[start + $1] * weights[$1] }
            let aside = Double(2 * start - room) / Double(room)
            return sum * (1 - aside * aside / 10)
        }
    }
}

/// The pixels of a picture seen as slices across an axis, on black where they are transparent.
private struct PixelMap {
    let width: Int
    let height: Int
    /// Columns or rows, as the axis wants it, and the pixels of each.
    let slices: Int
    let depth: Int
    private let isHorizontal: Bool
    private(set) var luma: [UInt8] = []
    /// How strong the colours are, how unlike the picture's own, and how much like skin; weights below one, as wood and
    /// sand are like skin too.
    private var colour: [Float] = []

    init(_ picture: PixelBuffer, _ axis: Saliency.Axis) {
        width = picture.size.width
        height = picture.size.height
        isHorizontal = axis == .horizontal
        slices = isHorizontal ? width : height
        depth = isHorizontal ? height : width
        luma.reserveCapacity(width * height)
        colour.reserveCapacity(width * height)
        let channels = picture.channels
        var chroma: [Chroma] = []
        for i in stride(from: 0, to: picture.bytes.count, by: channels) {
            let opacity = picture.hasAlpha ? Int(picture.bytes[i + channels - 1]) : 255
            func level(_ c: Int) -> UInt8 { UInt8((Int(picture.bytes[i + c]) * opacity + 127) / 255) }
            if channels < 3 {
                luma.append(level(0))
                colour.append(0)
            } else {
                let pixel = RGB(red: level(0), green: level(1), blue: level(2))
                luma.append(pixel.luma)
                chroma.append(Chroma(pixel))
                colour.append(Self.saturation(pixel) * 0.2 + Self.skin(pixel, chroma[chroma.count - 1]) * 0.4)
            }
        }
        guard channels >= 3 else { return }
        let mean = Chroma(
            blue: chroma.reduce(0) { $0 + $1.blue } / Float(chroma.count),
            red: chroma.reduce(0) { $0 + $1.red } / Float(chroma.count))
        for i in chroma.indices { colour[i] += min(chroma[i].distance(to: mean) / 96, 1) * 0.6 }
    }

    func index(_ slice: Int, _ i: Int) -> Int { isHorizontal ? i * width + slice : slice * width + i }

    /// What draws the eye in each slice: local detail, colour and skin, softened over a sixteenth of the picture, as
    /// far as it stands out from the mean.
    func attentionProfile() -> [Double] {
        var map = (0..<height).flatMap { y in (0..<width).map { x in detail(x, y) + colour[y * width + x] } }
        let radius = max(width, height) / 32
        if radius > 0 { map = softened(softened(map, radius, alongRows: true), radius, alongRows: false) }
        let mean = map.reduce(0, +) / Float(map.count)
        return (0..<slices).map { slice in
            (0..<depth).reduce(0.0) { $0 + Double(max(map[index(slice, $1)] - mean, 0)) }
        }
    }

    /// The Laplacian of luma, 0...1: what differs from its neighbours, but not an even slope.
    private func detail(_ x: Int, _ y: Int) -> Float {
        func level(_ x: Int, _ y: Int) -> Int {
            Int(luma[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)])
        }
        let around = level(x - 1, y) + level(x + 1, y) + level(x, y - 1) + level(x, y + 1)
        // Past a quarter of the greatest value an edge is an edge.
        return min(Float(abs(4 * level(x, y) - around)) / 255, 1)
    }

    /// The mean over `2 * radius + 1` pixels along rows or columns, by running sums.
    private func softened(_ map: [Float], _ radius: Int, alongRows: Bool) -> [Float] {
        var soft = map
        let (lines, count) = alongRows ? (height, width) : (width, height)
        for line in 0..<lines {
            func place(_ i: Int) -> Int { alongRows ? line * width + i : i * width + line }
            var sum = 0.0
            for i in -radius..<count {
                if i + radius < count { sum += Double(map[place(i + radius)]) }
                if i - radius - 1 >= 0 { sum -= Double(map[place(i - radius - 1)]) }
                if i >= 0 { soft[place(i)] = Float(sum) / Float(2 * radius + 1) }
            }
        }
        return soft
    }

    /// Chroma over value, held down where it is too dark to be seen.
    private static func saturation(_ pixel: RGB) -> Float {
        let high = Float(max(pixel.red, pixel.green, pixel.blue))
        let low = Float(min(pixel.red, pixel.green, pixel.blue))
        return (high - low) / max(high, 96)
    }

    /// The region of skin of all shades in Rec. 601's chroma: Cb 77...127 and Cr 133...173 (Chai and Ngan, "Face
    /// segmentation using skin-color map in videophone applications", 1999), as an ellipse with a soft edge.
    private static func skin(_ pixel: RGB, _ chroma: Chroma) -> Float {
        guard pixel.luma > 60 else { return 0 }
        let cb = (chroma.blue - (102 - 128)) / 25
        let cr = (chroma.red - (153 - 128)) / 20
        return max(1 - cb * cb - cr * cr, 0)
    }
}

/// Rec. 601's differences of colours, 0 for gray.
private struct Chroma {
    let blue: Float
    let red: Float

    func distance(to other: Chroma) -> Float {
        ((blue - other.blue) * (blue - other.blue) + (red - other.red) * (red - other.red)).squareRoot()
    }
}

extension Chroma {
    fileprivate init(_ pixel: RGB) {
        let luma = Float(pixel.luma)
        self.init(blue: 0.564 * (Float(pixel.blue) - luma), red: 0.713 * (Float(pixel.red) - luma))
    }
}
