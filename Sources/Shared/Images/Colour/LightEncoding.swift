/// How coded samples become light of sRGB's primaries, if that is a curve for each channel and then a matrix.
struct LightEncoding {
    /// Of the one channel of gray, or of each of three: the light of every coded sample, from 0 to 1. All curves have
    /// as many samples, 256 or 65536.
    let curves: [[Float]]
    /// From the light of three channels to that of sRGB's. Gray does not need it.
    let matrix: Matrix3

    /// The primaries of sRGB in the space in which profiles connect, XYZ adapted to D50, rounded as the profiles that
    /// Little CMS makes have them: the middle of what real profiles say.
    static let primaries = Matrix3(
        rows: (0.436_035, 0.385_117, 0.143_051), (0.222_488, 0.716_904, 0.060_608), (0.013_916, 0.097_061, 0.713_928))

    /// Whether its colours are those of sRGB: no level of gray and no colour of a fine grid, written as 8 bits, would
    /// move by half a level. Most pictures carry such a profile, and then nothing needs converting.
    ///
    /// Of the profiles that came with real pictures, those that mean sRGB were within 0.2, and the next one, gamma 2.2,
    /// 8.5 off.
    var isSRGB: Bool {
        let grid = stride(from: 0, through: 255, by: 51)
        return (0...255).allSatisfy { stays($0, $0, $0) }
            && grid.allSatisfy { red in grid.allSatisfy { green in grid.allSatisfy { stays(red, green, $0) } } }
    }

    /// Whether its levels of gray are within 10 of sRGB's: those of gamma 2.2 are, those of 1.8 are 19 off.
    var isNearSRGBsCurve: Bool { (0...255).allSatisfy { isNear(gray($0), $0, within: 10) } }

    private func gray(_ sample: Int) -> Double {
        curves.reduce(0) { $0 + Double($1[($1.count - 1) * sample / 255]) } / Double(curves.count)
    }

    /// Whether a colour of 8 bits keeps its numbers in sRGB.
    private func stays(_ samples: Int...) -> Bool {
        let last = curves[0].count - 1
        let light = zip(curves, samples).map { Double($0[last * $1 / 255]) }
        guard light.count == 3 else { return isNear(light[0], samples[0]) }
        let (red, green, blue) = matrix * (light[0], light[1], light[2])
        return isNear(red, samples[0]) && isNear(green, samples[1]) && isNear(blue, samples[2])
    }

    private func isNear(_ light: Double, _ sample: Int, within levels: Double = 0.5) -> Bool {
        abs(255 * SRGBCurve.coded(min(max(light, 0), 1)) - Double(sample)) < levels
    }
}
