import CLCMS

/// A conversion of coded samples to linear sRGB, by a curve for each channel and a matrix.
struct LightEncoding {
    /// The light, 0 to 1, of each coded sample: a curve for gray, or a curve for each of three channels. All curves
    /// have 256 or 65536 samples.
    let curves: [[Float]]
    /// From the light of three channels to linear sRGB. Unused for gray.
    let matrix: Matrix3

    /// The primaries of sRGB in the profile connection space, XYZ adapted to D50, as rounded in Little CMS's profiles.
    /// The values of real profiles are close to these.
    static let primaries = Matrix3(
        rows: (0.436_035, 0.385_117, 0.143_051), (0.222_488, 0.716_904, 0.060_608), (0.013_916, 0.097_061, 0.713_928))

    /// Whether the profile is sRGB: a conversion would move each gray level, and each colour of a grid with six steps
    /// per channel, by less than half of an 8-bit level. Most pictures have such a profile, and need no conversion.
    ///
    /// Among the profiles of real pictures, sRGB profiles would move colours by at most 0.2 levels, and the next
    /// closest profile (gamma 2.2) by 8.5 levels.
    var isSRGB: Bool {
        let grid = stride(from: 0, through: 255, by: 51)
        return (0...255).allSatisfy { stays($0, $0, $0) }
            && grid.allSatisfy { red in grid.allSatisfy { green in grid.allSatisfy { stays(red, green, $0) } } }
    }

    /// Whether the curves differ from sRGB's by less than 10 gray levels. True for gamma 2.2; gamma 1.8 differs by 19.
    var isNearSRGBsCurve: Bool { (0...255).allSatisfy { isNear(gray($0), $0, within: 10) } }

    private func gray(_ sample: Int) -> Double {
        curves.reduce(0) { $0 + Double($1[($1.count - 1) * sample / 255]) } / Double(curves.count)
    }

    /// Whether conversion to sRGB leaves an 8-bit colour unchanged.
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

extension LightEncoding {
    /// Reads a profile. Returns nil if the profile has tables, or lacks a required tag.
    ///
    /// - Parameter levels: 256 or 65536 samples per curve.
    init?(_ profile: cmsHPROFILE, levels: Int) {
        // Tables take precedence over the matrix (ICC.1:2022 §8.10).
        guard !Self.tables.contains(where: { cmsIsTag(profile, $0) != 0 }) else { return nil }
        let isGray = cmsGetColorSpace(profile) == cmsSigGrayData
        let tags = isGray ? [cmsSigGrayTRCTag] : [cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag]
        let curves = tags.compactMap { tag in
            cmsReadTag(profile, tag).map { Self.samples(OpaquePointer($0), levels) }
        }
        guard curves.count == tags.count, cmsGetPCS(profile) == cmsSigXYZData else { return nil }
        guard !isGray else {
            self.init(curves: curves, matrix: .identity)
            return
        }
        let colorants = [cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag].compactMap { tag in
            cmsReadTag(profile, tag).map { raw in
                let colour = raw.assumingMemoryBound(to: cmsCIEXYZ.self).pointee
                return (colour.X, colour.Y, colour.Z)
            }
        }
        guard colorants.count == 3, let toSRGB = Self.primaries.inverse else { return nil }
        self.init(curves: curves, matrix: toSRGB * Matrix3(columns: colorants[0], colorants[1], colorants[2]))
    }

    private static let tables = [cmsSigAToB0Tag, cmsSigAToB1Tag]

    private static func samples(_ curve: OpaquePointer, _ levels: Int) -> [Float] {
        (0..<levels).map { level in
            let light = cmsEvalToneCurveFloat(curve, Float(level) / Float(levels - 1))
            // A parametric curve may return any number.
            return light.isFinite ? min(max(light, 0), 1) : 0
        }
    }
}
