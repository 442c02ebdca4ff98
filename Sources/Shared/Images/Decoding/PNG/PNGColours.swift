import CCodecs

/// The colours of a PNG, from its first valid chunk in the order cICP, iCCP, sRGB, gAMA and cHRM (PNG, third edition,
/// §4.3).
enum PNGColours: Equatable {
    case sRGB
    case profile([UInt8])
    case signal(ColourSignal)

    init(_ header: apod_png_header) {
        let brightest = [header.brightest_pixel, header.brightest_light].first { $0 > 0 }
        let cicp = header.cicp
        let gamma = header.has_gamma != 0 ? header.gamma : nil
        if header.has_cicp != 0,
            let signal = ColourSignal(
                primaries: cicp.0, transfer: cicp.1, matrix: cicp.2, fullRange: cicp.3,
                peak: brightest.map { Double($0) / 10_000 })
        {
            self = .signal(signal)
        } else if let profile = header.profile {
            self = .profile(Array(UnsafeBufferPointer(start: profile, count: header.profile_bytes)))
        } else if header.is_srgb != 0 {
            self = .sRGB
        } else if let signal = ColourSignal(gamma: gamma, chromaticities: Self.chromaticities(header)) {
            self = .signal(signal)
        } else {
            self = .sRGB
        }
    }

    /// Returns red, green, blue and white. The file stores white first.
    private static func chromaticities(_ header: apod_png_header) -> [Int32]? {
        guard header.has_chromaticities != 0 else { return nil }
        let c = header.chromaticities
        return [c.2, c.3, c.4, c.5, c.6, c.7, c.0, c.1]
    }
}
