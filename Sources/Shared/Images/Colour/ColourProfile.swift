import CLCMS

/// The embedded profile of a picture, opened by Little CMS.
///
/// Little CMS cannot be interrupted, so its input is bounded: the size of the profile, its memory, the kinds of
/// pipeline stages, and the pixels per call.
final class ColourProfile {
    private let handle: cmsHPROFILE
    private let layout: RowLayout
    /// Owns the memory of the handle.
    private let context: ColourContext

    /// Returns nil if the profile is corrupt, or if its colour space does not match the layout of the pixels.
    init?(_ bytes: [UInt8], layout: RowLayout) {
        let bytes = withoutFloatPipelines(bytes)
        guard let context = ColourContext(),
            let handle = cmsOpenProfileFromMemTHR(context.pointer, bytes, UInt32(bytes.count))
        else { return nil }
        let space =
            switch layout {
            case .gray, .grayAlpha: cmsSigGrayData
            case .rgb, .rgba: cmsSigRgbData
            case .cmyk: cmsSigCmykData
            }
        guard cmsGetColorSpace(handle) == space else {
            cmsCloseProfile(handle)
            return nil
        }
        self.context = context
        self.handle = handle
        self.layout = layout
    }

    deinit { cmsCloseProfile(handle) }

    /// Returns the conversion to linear sRGB, or nil unless the profile consists of curves and a matrix.
    func light(levels: Int) -> LightEncoding? { layout == .cmyk ? nil : LightEncoding(handle, levels: levels) }

    /// Returns a conversion by Little CMS, which supports all kinds of profiles; nil if the profile is unusable.
    func conversion(sampleBytes: Int) -> (any RowConversion)? {
        let isGray = layout.channels < 3
        let created = isGray ? sRGBGray : cmsCreate_sRGBProfileTHR(context.pointer)
        guard let target = created else { return nil }
        defer { cmsCloseProfile(target) }
        // Black point compensation: the darkest ink becomes black rather than dark gray. NOCACHE: without its cache,
        // the transform has no mutable state.
        let flags = UInt32(cmsFLAGS_COPY_ALPHA | cmsFLAGS_NOCACHE | cmsFLAGS_BLACKPOINTCOMPENSATION)
        let (input, output) = (Self.format(layout, sampleBytes), Self.format(layout == .cmyk ? .rgb : layout, 1))
        return cmsCreateTransformTHR(
            context.pointer, handle, input, target, output, UInt32(INTENT_RELATIVE_COLORIMETRIC), flags
        ).map { ProfileConversion(transform: $0, context: context) }
    }

    /// Builds a pixel format of lcms2.h, whose macros Swift does not import: colour space << 16, flavour << 13, extra
    /// channels << 7, channels << 3, bytes.
    private static func format(_ layout: RowLayout, _ sampleBytes: Int) -> UInt32 {
        let (space, inverted, extra, channels) =
            switch layout {
            case .gray: (PT_GRAY, 0, 0, 1)
            case .grayAlpha: (PT_GRAY, 0, 1, 1)
            case .rgb: (PT_RGB, 0, 0, 3)
            case .rgba: (PT_RGB, 0, 1, 3)
            case .cmyk: (PT_CMYK, 1, 0, 4)
            }
        return UInt32(space) << 16 | UInt32(inverted << 13 | extra << 7 | channels << 3 | sampleBytes)
    }

    private var sRGBGray: cmsHPROFILE? {
        // The parameters of an ICC curve of type 4.
        let parameters = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
        guard let curve = cmsBuildParametricToneCurve(context.pointer, 4, parameters) else { return nil }
        defer { cmsFreeToneCurve(curve) }
        return cmsCreateGrayProfileTHR(context.pointer, cmsD50_xyY(), curve)
    }
}

/// Converts pixels with Little CMS.
private final class ProfileConversion: RowConversion {
    private let transform: cmsHTRANSFORM
    /// Owns the memory of the transform.
    private let context: ColourContext

    init(transform: cmsHTRANSFORM, context: ColourContext) {
        self.transform = transform
        self.context = context
    }

    deinit { cmsDeleteTransform(transform) }

    func convert(_ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>, count: Int) {
        cmsDoTransform(transform, input, output, UInt32(count))
    }
}
