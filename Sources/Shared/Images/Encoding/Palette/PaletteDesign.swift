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

    private struct Cell {
        let moments: ColourHistogram.Moments
        /// The numbers of the cell along red, green and blue.
        let place: SIMD3<UInt8>

        init(_ moments: ColourHistogram.Moments, _ axis: ColourCells) {
            self.moments = moments
            let mean = moments.mean
            place = SIMD3(axis.index[mean.red], axis.index[mean.green], axis.index[mean.blue])
        }
    }

    /// A box of cells: a part of the list of cells.
    private struct Box {
        let cells: Range<Int>
        let moments: ColourHistogram.Moments
        /// 0 if the box cannot be cut.
        var variance: Double

        init(_ cells: Range<Int>, _ moments: ColourHistogram.Moments) {
            self.cells = cells
            self.moments = moments
            variance = moments.variance
        }
    }

    private static func cut(_ histogram: ColourHistogram, limit: Int, tolerance: Double) -> [PackedColour] {
        var cells = histogram.occupied.map { Cell($0, histogram.axis) }
        let whole = cells.reduce(ColourHistogram.Moments()) { $0 + $1.moments }
        let enough = tolerance * Double(whole.count)
        var boxes = [Box(cells.indices, whole)]
        while boxes.count < limit {
            if boxes.reduce(0, { $0 + $1.variance }) < enough { break }
            // The first of several equal boxes.
            guard let widest = boxes.indices.max(by: { boxes[$0].variance < boxes[$1].variance }),
                boxes[widest].variance > 0
            else { break }
            guard let (one, other) = halves(boxes[widest], &cells, histogram.axis) else {
                boxes[widest].variance = 0
                continue
            }
            boxes[widest] = one
            boxes.append(other)
        }
        return boxes.map(\.moments.mean)
    }

    /// Cuts a box in two at the place with the smallest remaining variance, and moves the cells of the second half to the
    /// end of the box. Returns nil if all colours are in a single cell.
    private static func halves(_ box: Box, _ cells: inout [Cell], _ division: ColourCells) -> (Box, Box)? {
        var best = 0.0
        var found: (axis: Int, last: Int, one: ColourHistogram.Moments)?
        for axis in 0..<3 {
            var slices = [ColourHistogram.Moments](repeating: .init(), count: division.count)
            for cell in cells[box.cells] {
                let place = Int(cell.place[axis])
                slices[place] = slices[place] + cell.moments
            }
            var one = ColourHistogram.Moments()
            for (place, slice) in slices.enumerated() where slice.count > 0 {
                one = one + slice
                let other = box.moments - one
                if other.count == 0 { break }
                let gain = one.concentration + other.concentration
                if found == nil || gain > best { (best, found) = (gain, (axis, place, one)) }
            }
        }
        guard let found else { return nil }
        let count = cells.withUnsafeMutableBufferPointer { cells in
            var part = UnsafeMutableBufferPointer(rebasing: cells[box.cells])
            return part.partition { Int($0.place[found.axis]) > found.last }
        }
        let middle = box.cells.lowerBound + count
        return (
            Box(box.cells.lowerBound..<middle, found.one),
            Box(middle..<box.cells.upperBound, box.moments - found.one)
        )
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
