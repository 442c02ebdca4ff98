import CLCMS

extension LightEncoding {
    /// Reads a profile. Returns nil if it has tables, or lacks a required tag.
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
        self.init(
            curves: curves, matrix: toSRGB * Matrix3(columns: colorants[0], colorants[1], colorants[2]))
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
