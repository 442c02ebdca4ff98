/// Finds the dominant colour of a picture.
enum DominantColour {
    /// The maximum number of clusters.
    private static let most = 8
    /// Iterations of k-means. More iterations have no visible effect.
    private static let rounds = 6

    /// Returns the mean colour of the most striking cluster in an RGBA picture with straight alpha, or black for a
    /// fully transparent picture. O(pixels).
    ///
    /// Clusters pixels in Oklab by k-means. Hue differences weigh more than lightness differences, so a petal is a
    /// single colour in sun and shade. Pixels near the centre weigh up to five times as much as pixels in a corner. The
    /// score of a cluster is its weight times `0.03 + chroma` times `0.25 + lightness`: pink flowers win over an equal
    /// area of brown earth, and a subject wins over ten times as much black sky, but not if almost the whole picture is
    /// sky. Similar clusters add to each other's scores, so a colour that k-means has split into two clusters still
    /// gets its full score. The last of equal clusters wins, which makes the result deterministic.
    static func of(_ picture: PixelBuffer) -> RGB {
        let cells = cells(picture)
        guard let heaviest = cells.max(by: { $0.weight < $1.weight }) else { return .black }
        var clusters = seeds(cells, from: heaviest)
        for _ in 0..<rounds { clusters = settled(clusters, cells) }
        let means = clusters.map(\.mean)
        let scores = zip(clusters, means).map(striking)
        let supported = means.map { mean in
            zip(means, scores).reduce(0) { sum, other in
                sum + max(1 - mean.difference(to: other.0).squareRoot() / nearness, 0) * other.1
            }
        }
        // Returns the last of equal maxima.
        let best = supported.indices.reversed().max { supported[$0] < supported[$1] }
        return best.map { means[$0].rgb } ?? .black
    }

    /// Clusters add to each other's scores if their distance (the root of `difference`) is less than this.
    private static let nearness: Float = 0.1

    private static func striking(_ cluster: Cell, _ mean: Oklab) -> Float {
        Float(cluster.weight) * (0.03 + mean.chroma) * (0.25 + mean.lightness)
    }

    /// Groups pixels into cells of 8 levels per channel, sorted by colour.
    private static func cells(_ picture: PixelBuffer) -> [Cell] {
        var cells: [Int: Cell] = [:]
        picture.bytes.withUnsafeBufferPointer { samples in
            for y in 0..<picture.size.height {
                let down = aside(y, picture.size.height)
                for x in 0..<picture.size.width {
                    let i = (y * picture.size.width + x) * 4
                    guard samples[i + 3] > 0 else { continue }
                    let colour = RGB(red: samples[i], green: samples[i + 1], blue: samples[i + 2])
                    let place = (Int(colour.red) / 8) << 10 | (Int(colour.green) / 8) << 5 | Int(colour.blue) / 8
                    let weight = 1 - 0.4 * (down + aside(x, picture.size.width))
                    cells[place, default: Cell()].add(Oklab(colour), weight: Double(samples[i + 3]) / 255 * weight)
                }
            }
        }
        return cells.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns the squared distance from the centre: 0 at the centre, 1 at the edge.
    private static func aside(_ place: Int, _ count: Int) -> Double {
        let distance = (Double(place) + 0.5) / Double(count) * 2 - 1
        return distance * distance
    }

    /// Returns the initial clusters: the heaviest cell, then repeatedly the cell with the largest product of weight and
    /// distance to the nearest chosen cell.
    private static func seeds(_ cells: [Cell], from heaviest: Cell) -> [Cell] {
        var seeds = [heaviest]
        var distances = cells.map { $0.mean.difference(to: heaviest.mean) }
        while seeds.count < most {
            let far = cells.indices.max {
                distances[$0] * Float(cells[$0].weight) < distances[$1] * Float(cells[$1].weight)
            }
            guard let far, distances[far] > 0 else { break }
            seeds.append(cells[far])
            for i in cells.indices {
                distances[i] = min(distances[i], cells[i].mean.difference(to: cells[far].mean))
            }
        }
        return seeds
    }

    /// Assigns each cell to its nearest cluster, and drops empty clusters.
    private static func settled(_ clusters: [Cell], _ cells: [Cell]) -> [Cell] {
        let means = clusters.map(\.mean)
        var sums = [Cell](repeating: Cell(), count: clusters.count)
        for cell in cells {
            let colour = cell.mean
            let nearest = means.indices.min { means[$0].difference(to: colour) < means[$1].difference(to: colour) }
            if let nearest { sums[nearest].add(cell) }
        }
        return sums.filter { $0.weight > 0 }
    }

    /// Weighted sums of the colours of pixels.
    private struct Cell {
        var weight = 0.0
        private var lightness = 0.0
        private var a = 0.0
        private var b = 0.0

        mutating func add(_ colour: Oklab, weight: Double) {
            self.weight += weight
            lightness += weight * Double(colour.lightness)
            a += weight * Double(colour.a)
            b += weight * Double(colour.b)
        }

        mutating func add(_ other: Cell) {
            weight += other.weight
            lightness += other.lightness
            a += other.a
            b += other.b
        }

        var mean: Oklab {
            Oklab(lightness: Float(lightness / weight), a: Float(a / weight), b: Float(b / weight))
        }
    }
}

extension Oklab {
    /// Returns the squared distance, with more weight on hue than on lightness.
    fileprivate func difference(to other: Oklab) -> Float {
        let light = (lightness - other.lightness) * 0.7
        let red = (a - other.a) * 1.6
        let yellow = (b - other.b) * 1.6
        return light * light + red * red + yellow * yellow
    }
}

extension RGB {
    public var hexadecimal: String {
        let digits = Array("0123456789abcdef")
        return String([red, green, blue].reduce(into: ["#"]) { $0 += [digits[Int($1 >> 4)], digits[Int($1 & 15)]] })
    }
}
