import CLCMS

/// Generated colour profiles.
enum TestProfile {
    /// A profile with curves and a matrix. Its primaries are sRGB's, or much wider.
    static func matrix(gamma: Double, wide: Bool) -> [UInt8] {
        let handle = rgb(gamma: gamma, wide: wide)
        defer { cmsCloseProfile(handle) }
        return saved(handle)
    }

    /// A profile with the wide gamut of `matrix`, but with a table that converts to Lab.
    static func table() -> [UInt8] {
        let wide = rgb(gamma: 2.2, wide: true)
        let lab = cmsCreateLab4Profile(nil)
        // Both pixel formats have three samples of 16 bits (lcms2.h).
        let (rgb16, lab16) = (UInt32(PT_RGB << 16 | 3 << 3 | 2), UInt32(PT_Lab << 16 | 3 << 3 | 2))
        let transform = cmsCreateTransform(
            wide, rgb16, lab, lab16, UInt32(INTENT_RELATIVE_COLORIMETRIC), UInt32(cmsFLAGS_NOCACHE))
        let handle = cmsCreateProfilePlaceholder(nil)
        let pipeline = cmsPipelineAlloc(nil, 3, 3)
        defer {
            cmsDeleteTransform(transform)
            cmsPipelineFree(pipeline)
            for profile in [wide, lab, handle] { cmsCloseProfile(profile) }
        }
        let table = cmsStageAllocCLut16bit(nil, 17, 3, 3, nil)
        cmsStageSampleCLut16bit(
            table,
            { input, output, transform in
                cmsDoTransform(transform, input, output, 1)
                return 1
            }, transform, 0)
        // In a profile, a table is between curves (ICC.1:2022 §10.12).
        for stage in [cmsStageAllocToneCurves(nil, 3, nil), table, cmsStageAllocToneCurves(nil, 3, nil)] {
            cmsPipelineInsertStage(pipeline, cmsAT_END, stage)
        }
        cmsSetProfileVersion(handle, 4.3)
        cmsSetDeviceClass(handle, cmsSigInputClass)
        cmsSetColorSpace(handle, cmsSigRgbData)
        cmsSetPCS(handle, cmsSigLabData)
        cmsWriteTag(handle, cmsSigAToB0Tag, UnsafeRawPointer(pipeline))
        return saved(handle)
    }

    static func saved(_ handle: cmsHPROFILE?) -> [UInt8] {
        var count: UInt32 = 0
        cmsSaveProfileToMem(handle, nil, &count)
        var bytes = [UInt8](repeating: 0, count: Int(count))
        cmsSaveProfileToMem(handle, &bytes, &count)
        return bytes
    }

    private static func rgb(gamma: Double, wide: Bool) -> cmsHPROFILE? {
        var white = cmsCIExyY()
        cmsWhitePointFromTemp(&white, 6504)
        func primary(_ x: Double, _ y: Double) -> cmsCIExyY { cmsCIExyY(x: x, y: y, Y: 1) }
        var primaries = cmsCIExyYTRIPLE(
            Red: primary(0.64, 0.33), Green: wide ? primary(0.21, 0.71) : primary(0.30, 0.60),
            Blue: primary(0.15, 0.06))
        let curve = cmsBuildGamma(nil, gamma)
        defer { cmsFreeToneCurve(curve) }
        var curves = [OpaquePointer?](repeating: curve, count: 3)
        return cmsCreateRGBProfile(&white, &primaries, &curves)
    }
}
