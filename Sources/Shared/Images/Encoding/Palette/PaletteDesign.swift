/// Chooses the colours of a palette for a picture with more colours than the palette can have.
///
/// Uses Wu's method (X. Wu, "Color quantization by dynamic programming and principal analysis", 1992, in the greedy
/// form of Graphics Gems II): repeatedly cuts the box with the greatest variance at the place that reduces the variance
/// most. Then k-means moves each colour to the mean of its pixels. Deterministic.
struct PaletteDesign {
    /// At most `limit` colours.
    let colours: [PackedColour]
    /// The mean squared distance of a pixel from its colour, over all three channels, without dithering.
    let meanError: Double

    /// Rounds of k-means. The third round gains about 0.1 dB; a fifth round has no visible effect.
    private static let rounds = 3

    /// - Parameters:
    ///   - limit: 1 to 256 colours. The histogram must have a colour.
    ///   - tolerance: no colours are added when the mean squared error is below this value.
    init(_ histogram: ColourHistogram, limit: Int, tolerance: Double = 0) {
        var colours = Self.cut(histogram, limit: limit, tolerance: tolerance)
        let occupied = histogram.occupied
        var total = 0.0
        for round in 0...Self.rounds {
            let search = NearestColour(colours)
            var clusters = [ColourHistogram.Moments](repeating: .init(), count: colours.count)
            total = 0
            for cell in occupied {
                let (index, distance) = search.nearest(cell.mean)
                clusters[index] = clusters[index] + cell
                total += Double(distance) * Double(cell.count) + max(cell.variance, 0)
            }
            if round == Self.rounds { break }
            for (index, cluster) in clusters.enumerated() where cluster.count > 0 { colours[index] = cluster.mean }
        }
        self.colours = colours
        meanError = total / Double(max(occupied.reduce(0) { $0 + $1.count }, 1))
    }

    /// A box of cells. Lower bounds are exclusive, as in cumulative sums: 0 is before the first cell.
    private struct Box {
        var low = [0, 0, 0]
        var high: [Int]
    }

    /// Cumulative sums: the sum of any box follows from its 8 corners.
    private struct CumulativeSums {
        private let side: Int
        private var sums: [ColourHistogram.Moments]

        private func index(_ r: Int, _ g: Int, _ b: Int) -> Int { (r * side + g) * side + b }

        init(_ histogram: ColourHistogram) {
            let cells = histogram.axis.count
            side = cells + 1
            sums = [ColourHistogram.Moments](repeating: .init(), count: side * side * side)
            for r in 1...cells {
                var plane = [ColourHistogram.Moments](repeating: .init(), count: side)
                for g in 1...cells {
                    var line = ColourHistogram.Moments()
                    for b in 1...cells {
                        line = line + histogram.cells[((r - 1) * cells + g - 1) * cells + b - 1]
                        plane[b] = plane[b] + line
                        sums[index(r, g, b)] = sums[index(r - 1, g, b)] + plane[b]
                    }
                }
            }
        }

        func total(_ box: Box) -> ColourHistogram.Moments {
            func corner(_ r: Int, _ g: Int, _ b: Int) -> ColourHistogram.Moments { sums[index(r, g, b)] }
            let (low, high) = (box.low, box.high)
            let upper =
                corner(high[0], high[1], high[2]) - corner(high[0], high[1], low[2]) - corner(high[0], low[1], high[2])
                + corner(high[0], low[1], low[2])
            let lower =
                corner(low[0], high[1], high[2]) - corner(low[0], high[1], low[2]) - corner(low[0], low[1], high[2])
                + corner(low[0], low[1], low[2])
            return upper - lower
        }
    }

    private static func cut(_ histogram: ColourHistogram, limit: Int, tolerance: Double) -> [PackedColour] {
        let sums = CumulativeSums(histogram)
        var boxes = [Box(high: [Int](repeating: histogram.axis.count, count: 3))]
        var variances = [sums.total(boxes[0]).variance]
        let enough = tolerance * Double(sums.total(boxes[0]).count)
        while boxes.count < limit {
            if variances.reduce(0, +) < enough { break }
            // The first of several equal boxes.
            guard let widest = variances.indices.max(by: { variances[$0] < variances[$1] }), variances[widest] > 0
            else { break }
            guard let (one, other) = halves(boxes[widest], sums) else {
                variances[widest] = 0
                continue
            }
            boxes[widest] = one
            variances[widest] = sums.total(one).variance
            boxes.append(other)
            variances.append(sums.total(other).variance)
        }
        return boxes.map { sums.total($0) }.filter { $0.count > 0 }.map(\.mean)
    }

    /// Cuts a box in two at the place with the smallest remaining variance. Returns nil if all colours are in a single
    /// cell.
    private static func halves(_ box: Box, _ sums: CumulativeSums) -> (Box, Box)? {
        let whole = sums.total(box)
        var best = 0.0
        var found: (axis: Int, place: Int)?
        for axis in 0..<3 where box.high[axis] - box.low[axis] > 1 {
            for place in box.low[axis] + 1..<box.high[axis] {
                var half = box
                half.high[axis] = place
                let one = sums.total(half)
                let other = whole - one
                guard one.count > 0, other.count > 0 else { continue }
                let gain = one.concentration + other.concentration
                if found == nil || gain > best { (best, found) = (gain, (axis, place)) }
            }
        }
        guard let found else { return nil }
        var (one, other) = (box, box)
        one.high[found.axis] = found.place
        other.low[found.axis] = found.place
        return (one, other)
    }
}

/// Finds the nearest of up to 256 colours by squared distance in sRGB.
///
/// The colours are sorted by green, the channel with the largest differences. The search moves up and down from the
/// pixel's green, and ends when the difference in green alone exceeds the best distance.
struct NearestColour {
    private let sorted: [(red: Int32, green: Int32, blue: Int32, index: Int)]
    /// For each green, the position of the first colour with at least that green.
    private let first: [Int]

    init(_ colours: [PackedColour]) {
        let order = colours.indices.sorted { (colours[$0].green, $0) < (colours[$1].green, $1) }
        sorted = order.map { (Int32(colours[$0].red), Int32(colours[$0].green), Int32(colours[$0].blue), $0) }
        var first = [Int](repeating: colours.count, count: 256)
        for (place, entry) in sorted.enumerated().reversed() { first[Int(entry.green)] = place }
        for green in stride(from: 254, through: 0, by: -1) { first[green] = min(first[green], first[green + 1]) }
        self.first = first
    }

    func nearest(_ colour: PackedColour) -> (index: Int, distance: Int) {
        let (r, g, b) = (Int32(colour.red), Int32(colour.green), Int32(colour.blue))
        var best = Int32.max
        var found = 0
        sorted.withUnsafeBufferPointer { sorted in
            var up = first[colour.green]
            var down = up - 1
            while up < sorted.count || down >= 0 {
                if up < sorted.count {
                    let entry = sorted[up]
                    let dg = entry.green &- g
                    if dg &* dg >= best {
                        up = sorted.count
                    } else {
                        let (dr, db) = (entry.red &- r, entry.blue &- b)
                        let distance = dr &* dr &+ dg &* dg &+ db &* db
                        if distance < best { (best, found) = (distance, entry.index) }
                        up += 1
                    }
                }
                if down >= 0 {
                    let entry = sorted[down]
                    let dg = entry.green &- g
                    if dg &* dg >= best {
                        down = -1
                    } else {
                        let (dr, db) = (entry.red &- r, entry.blue &- b)
                        let distance = dr &* dr &+ dg &* dg &+ db &* db
                        if distance < best { (best, found) = (distance, entry.index) }
                        down -= 1
                    }
                }
            }
        }
        return (found, Int(best))
    }
}
