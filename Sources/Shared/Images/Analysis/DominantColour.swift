/// The colour that a picture is mostly made of.
enum DominantColour {
    /// Cells along each channel: two are wide enough for the noise and shading of one surface.
    private static let levels = 16

    /// The mean of the most populated region of colours in a picture of 4 channels (straight alpha); black if
    /// everything is transparent. O(pixels).
    ///
    /// Each pixel counts by its opacity times `32 + chroma + luma / 2`, so that colours that are seen win against a
    /// black sky around them, up to ten times their area, but not against nearly nothing else. Weights are gathered in
    /// 16x16x16 cells. A region is 2x2x2 of them: whatever lies within 16 levels of each channel is in one region,
    /// wherever the borders of cells are. Of equal regions the darker one wins.
    static func of(_ picture: PixelBuffer) -> RGB {
        var cells = [Cell](repeating: Cell(), count: levels * levels * levels)
        picture.bytes.withUnsafeBufferPointer { samples in
            for i in stride(from: 0, to: samples.count, by: 4) where samples[i + 3] > 0 {
                let colour = RGB(red: samples[i], green: samples[i + 1], blue: samples[i + 2])
                cells[index(Int(colour.red) / 16, Int(colour.green) / 16, Int(colour.blue) / 16)]
                    .add(colour, weight: weight(colour, alpha: samples[i + 3]))
            }
        }
        var best = Cell()
        for red in 0..<levels - 1 {
            for green in 0..<levels - 1 {
                for blue in 0..<levels - 1 {
                    let region = region(cells, red, green, blue)
                    if region.weight > best.weight { best = region }
                }
            }
        }
        return best.mean
    }

    private static func weight(_ colour: RGB, alpha: UInt8) -> Int {
        let high = max(colour.red, colour.green, colour.blue)
        let low = min(colour.red, colour.green, colour.blue)
        return Int(alpha) * (32 + Int(high - low) + Int(colour.luma) / 2)
    }

    private static func index(_ red: Int, _ green: Int, _ blue: Int) -> Int { (red * levels + green) * levels + blue }

    private static func region(_ cells: [Cell], _ red: Int, _ green: Int, _ blue: Int) -> Cell {
        var sum = Cell()
        for r in red...red + 1 {
            for g in green...green + 1 {
                for b in blue...blue + 1 { sum.add(cells[index(r, g, b)]) }
            }
        }
        return sum
    }

    /// Sums over pixels; below 2^39 for the 10 000 that come, whose weights are below 2^17.
    private struct Cell {
        var weight = 0
        var red = 0
        var green = 0
        var blue = 0

        mutating func add(_ colour: RGB, weight: Int) {
            self.weight += weight
            red += weight * Int(colour.red)
            green += weight * Int(colour.green)
            blue += weight * Int(colour.blue)
        }

        mutating func add(_ other: Cell) {
            weight += other.weight
            red += other.red
            green += other.green
            blue += other.blue
        }

        var mean: RGB {
            guard weight > 0 else { return .black }
            func level(_ sum: Int) -> UInt8 { UInt8((sum + weight / 2) / weight) }
            return RGB(red: level(red), green: level(green), blue: level(blue))
        }
    }
}

extension RGB {
    /// The colour as `#rrggbb`.
    public var hexadecimal: String {
        let digits = Array("0123456789abcdef")
        return String([red, green, blue].reduce(into: ["#"]) { $0 += [digits[Int($1 >> 4)], digits[Int($1 & 15)]] })
    }
}
