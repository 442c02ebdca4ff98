import CLCMS
import Support

/// Turns rows of pixels of an embedded profile into sRGB, by Little CMS.
///
/// Meant for the small output rows: a profile is decided on before resampling and applied after it, which differs from
/// the other order only as resampling in one gamma-encoded space differs from another.
///
/// Little CMS cannot be stopped, so that what it is given is bounded: the profile's bytes, the memory that it takes for
/// it, the kinds of stages that a pixel goes through, and the pixels at a time.
final class ColourTransform {
    private let transform: cmsHTRANSFORM
    /// Samples of a pixel before and after.
    private let channels: (in: Int, out: Int)
    /// Kept for the transform, which allocates in it.
    private let context: ColourContext

    /// Real profiles end at about 2 MB; larger ones count as none.
    static let profileByteLimit = 8 << 20
    /// Pixels that are converted before a look at the time: 7 ms with the slowest profiles measured, those of inks.
    private static let pixelsAtATime = 1 << 16

    /// Returns nil if nothing needs to be done: there is no profile, or it is sRGB for all that can be seen, does not fit
    /// the pixels, is corrupt, or larger than any real one.
    init?(profile bytes: [UInt8]?, layout: RowLayout) {
        guard let bytes, bytes.count >= 128, bytes.count <= Self.profileByteLimit else { return nil }
        guard let context = ColourContext(),
            let transform = Self.transform(context.pointer, withoutFloatPipelines(bytes), layout)
        else { return nil }
        self.context = context
        self.transform = transform
        channels = (layout.channels, layout.outputChannels)
    }

    private static func transform(_ context: cmsContext, _ bytes: [UInt8], _ layout: RowLayout) -> cmsHTRANSFORM? {
        guard let profile = cmsOpenProfileFromMemTHR(context, bytes, UInt32(bytes.count)) else { return nil }
        defer { cmsCloseProfile(profile) }
        let space = cmsGetColorSpace(profile)
        let (wanted, input, output): (cmsColorSpaceSignature, UInt32, UInt32) =
            switch layout {
            case .gray: (cmsSigGrayData, gray8, gray8)
            case .grayAlpha: (cmsSigGrayData, grayAlpha8, grayAlpha8)
            case .rgb: (cmsSigRgbData, rgb8, rgb8)
            case .rgba: (cmsSigRgbData, rgba8, rgba8)
            case .cmyk: (cmsSigCmykData, invertedCMYK8, rgb8)
            }
        guard space == wanted else { return nil }
        if LightEncoding(profile, levels: 256)?.isSRGB == true { return nil }
        let created = wanted == cmsSigGrayData ? sRGBGray(context) : cmsCreate_sRGBProfileTHR(context)
        guard let target = created else { return nil }
        defer { cmsCloseProfile(target) }
        // Black point compensation: the darkest ink becomes black, not dark gray. NOCACHE: the one-pixel cache is the
        // transform's only state.
        let flags = UInt32(cmsFLAGS_COPY_ALPHA | cmsFLAGS_NOCACHE | cmsFLAGS_BLACKPOINTCOMPENSATION)
        return cmsCreateTransformTHR(
            context, profile, input, target, output, UInt32(INTENT_RELATIVE_COLORIMETRIC), flags)
    }

    deinit { cmsDeleteTransform(transform) }

    /// Converts `count` pixels. `input` and `output` may be the same memory if a pixel has as many samples in both.
    /// Throws what `options.check` does, between pieces.
    func apply(
        _ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>, count: Int,
        checking options: DecodeOptions
    ) throws {
        for start in stride(from: 0, to: count, by: Self.pixelsAtATime) {
            if start > 0 { try options.check() }
            let piece = min(count - start, Self.pixelsAtATime)
            cmsDoTransform(transform, input + start * channels.in, output + start * channels.out, UInt32(piece))
        }
    }

    // The pixel formats of lcms2.h, whose macros Swift does not see: colour space << 16, flavour << 13, extra channels
    // << 7, channels << 3, bytes.
    private static let gray8 = UInt32(PT_GRAY) << 16 | 1 << 3 | 1
    private static let grayAlpha8 = gray8 | 1 << 7
    private static let rgb8 = UInt32(PT_RGB) << 16 | 3 << 3 | 1
    private static let rgba8 = rgb8 | 1 << 7
    private static let invertedCMYK8 = UInt32(PT_CMYK) << 16 | 1 << 13 | 4 << 3 | 1

    /// sRGB's transfer function (IEC 61966-2-1), as the parameters of an ICC curve of type 4.
    private static func sRGBCurve(_ context: cmsContext?) -> OpaquePointer? {
        let parameters = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
        return cmsBuildParametricToneCurve(context, 4, parameters)
    }

    private static func sRGBGray(_ context: cmsContext) -> cmsHPROFILE? {
        guard let curve = sRGBCurve(context) else { return nil }
        defer { cmsFreeToneCurve(curve) }
        return cmsCreateGrayProfileTHR(context, cmsD50_xyY(), curve)
    }
}
