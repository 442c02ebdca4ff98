import Libc

/// How a crop selects the part of a picture to keep.
///
/// The result is deterministic. A small picture (256 pixels on the longer side) suffices. O(pixels), a few
/// milliseconds.
public enum Saliency: String, Sendable, Hashable, CaseIterable {
    /// The subject: the part that contrasts with its surroundings and with the picture's edges.
    case attention
    /// The part with the greatest Shannon entropy of gray levels.
    case entropy

    /// The direction in which the crop can move.
    public enum Axis: Sendable, Hashable, CaseIterable {
        case horizontal, vertical
    }

    /// Returns the position of the crop: 0 at the left or top edge, ½ in the centre, 1 at the right or bottom edge.
    ///
    /// If adjacent positions are about equally good, as in a flat picture or around a small subject, returns their
    /// middle. This makes the result insensitive to noise.
    ///
    /// - Parameter fraction: the part of the axis that the crop keeps, 0...1.
    public func cropOffset(in picture: PixelBuffer, keeping fraction: Double, along axis: Axis) -> Double {
        switch self {
        case .attention:
            return AttentionMap(picture).cropOffset(keeping: fraction, along: axis)
        case .entropy:
            let map = LumaMap(picture, axis)
            guard let kept = Self.kept(fraction, of: map.slices) else { return 0.5 }
            let run = Self.bestRun(entropyScores(map, kept), within: 0.02)
            return Double(run.lowerBound + run.upperBound) / Double(2 * (map.slices - kept))
        }
    }

    /// Returns the number of columns or rows that a crop keeps, at least 1. Returns nil if the crop keeps all of them,
    /// or if the fraction is NaN.
    static func kept(_ fraction: Double, of slices: Int) -> Int? {
        guard fraction < 1 else { return nil }
        let kept = max(Int((Double(slices) * max(fraction, 0)).rounded()), 1)
        return kept < slices ? kept : nil
    }

    /// Returns the run of positions around the highest score whose scores are almost as high: lower by at most `share`
    /// of the range of all scores plus 0.3 % of the highest score. If several positions have the highest score, the run
    /// contains the position nearest to the centre.
    static func bestRun(_ scores: [Double], within share: Double) -> ClosedRange<Int> {
        let best = scores.max() ?? 0
        let enough = best - (best - (scores.min() ?? 0)) * share - abs(best) * 0.003
        let last = scores.count - 1
        let found = scores.indices.filter { scores[$0] == best }.min { abs(2 * $0 - last) < abs(2 * $1 - last) } ?? 0
        var (low, high) = (found, found)
        while low > 0, scores[low - 1] >= enough { low -= 1 }
        while high < last, scores[high + 1] >= enough { high += 1 }
        return low...high
    }

    /// Returns the entropy, in bits, of the luma levels in each window of `kept` slices. Updates the histogram
    /// incrementally as the window moves.
    private func entropyScores(_ map: LumaMap, _ kept: Int) -> [Double] {
        var histogram = [Int](repeating: 0, count: 64)
        func count(_ slice: Int, _ step: Int) {
            for i in 0..<map.depth { histogram[Int(map.luma[map.index(slice, i)]) / 4] += step }
        }
        for slice in 0..<kept { count(slice, 1) }
        var scores: [Double] = []
        for start in 0...map.slices - kept {
            let total = Double(kept * map.depth)
            scores.append(
                histogram.reduce(0) { $1 == 0 ? $0 : $0 - Double($1) / total * log2(Double($1) / total) })
            if start + kept < map.slices {
                count(start, -1)
                count(start + kept, 1)
            }
        }
        return scores
    }
}

/// The luma levels of a picture over black, divided into columns or rows.
private struct LumaMap {
    private let width: Int
    /// The number of columns or rows, depending on the axis, and the number of pixels in each.
    let slices: Int
    let depth: Int
    private let isHorizontal: Bool
    let luma: [UInt8]

    init(_ picture: PixelBuffer, _ axis: Saliency.Axis) {
        width = picture.size.width
        isHorizontal = axis == .horizontal
        (slices, depth) = isHorizontal ? (width, picture.size.height) : (picture.size.height, width)
        luma = picture.coloursOnBlack.map(\.luma)
    }

    func index(_ slice: Int, _ i: Int) -> Int { isHorizontal ? i * width + slice : slice * width + i }
}

extension PixelBuffer {
    /// The colour of each pixel over black, in row-major order.
    var coloursOnBlack: [RGB] {
        stride(from: 0, to: bytes.count, by: channels).map { i in
            let opacity = hasAlpha ? Int(bytes[i + channels - 1]) : 255
            func level(_ c: Int) -> UInt8 { UInt8((Int(bytes[i + (channels < 3 ? 0 : c)]) * opacity + 127) / 255) }
            return RGB(red: level(0), green: level(1), blue: level(2))
        }
    }
}
