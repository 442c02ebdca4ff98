/// Converts rows of pixels from a file's colours to sRGB with 8 bits per sample.
///
/// Rows are converted before resampling. Resampling in Display P3 would change an edge between strong colours by 120
/// levels. Resampling in CMYK would darken edges (measured: 2.4 levels on average over a chart of squares, and 0.06 to
/// 0.14 over photographs, with single pixels off by 17).
final class ColourTransform {
    /// Whether a picture may be scaled before its colours are converted, as JPEG decoders can do. With a curve close to
    /// sRGB's, this changes the samples of photographs by at most 0.16 levels (root mean square).
    let toleratesScaling: Bool
    private let conversion: any RowConversion
    /// Bytes per pixel before and after conversion.
    private let pixelBytes: (in: Int, out: Int)

    /// Real profiles have at most about 2 MB. Larger profiles are ignored.
    static let profileByteLimit = 8 << 20
    /// The number of pixels between checks of the time limit: 7 ms for CMYK, which has the slowest measured profiles.
    private static let pixelsAtATime = 1 << 16

    /// Returns nil if the pixels can be used as sRGB: without a profile, or with a profile that is visually sRGB, does
    /// not match the layout, is corrupt or is too large. CMYK is always converted.
    ///
    /// - Parameter sampleBytes: 1, or 2 for 16-bit samples in native byte order.
    convenience init?(profile bytes: [UInt8]?, layout: RowLayout, sampleBytes: Int = 1) {
        if let bytes, bytes.count >= 128, bytes.count <= Self.profileByteLimit,
            let profile = ColourProfile(bytes, layout: layout)
        {
            if let light = profile.light(levels: 256) {
                guard !light.isSRGB else { return nil }
                let exact = sampleBytes == 1 ? light : profile.light(levels: 65536) ?? light
                self.init(
                    LightConversion(exact, layout: layout), layout, sampleBytes,
                    toleratesScaling: light.isNearSRGBsCurve)
                return
            }
            if let tables = profile.conversion(sampleBytes: sampleBytes) {
                self.init(tables, layout, sampleBytes, toleratesScaling: false)
                return
            }
        }
        guard layout == .cmyk, sampleBytes == 1 else { return nil }
        self.init(InkConversion(), layout, sampleBytes, toleratesScaling: false)
    }

    /// Returns nil if the colours are sRGB, or if the primaries are degenerate.
    convenience init?(signal: ColourSignal, layout: RowLayout, sampleBytes: Int = 1) {
        let levels = sampleBytes == 1 ? 256 : 65536
        if let light = signal.light(levels: levels, isGray: layout.channels < 3) {
            guard !light.isSRGB else { return nil }
            self.init(
                LightConversion(light, layout: layout), layout, sampleBytes, toleratesScaling: light.isNearSRGBsCurve)
        } else if let tones = ToneConversion(signal, layout: layout, levels: levels) {
            self.init(tones, layout, sampleBytes, toleratesScaling: false)
        } else {
            return nil
        }
    }

    private init(
        _ conversion: any RowConversion, _ layout: RowLayout, _ sampleBytes: Int, toleratesScaling: Bool
    ) {
        self.conversion = conversion
        self.toleratesScaling = toleratesScaling
        pixelBytes = (layout.channels * sampleBytes, layout.outputChannels)
    }

    /// Converts `count` pixels, and calls `options.check` regularly. `input` may equal `output` if the pixel sizes are
    /// equal.
    func apply(
        _ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>, count: Int,
        checking options: DecodeOptions
    ) throws {
        for start in stride(from: 0, to: count, by: Self.pixelsAtATime) {
            if start > 0 { try options.check() }
            let piece = min(count - start, Self.pixelsAtATime)
            conversion.convert(input + start * pixelBytes.in, output + start * pixelBytes.out, count: piece)
        }
    }
}

/// Converts pixels without checking the time limit.
protocol RowConversion {
    /// Converts `count` pixels. `input` may equal `output` if the pixel sizes are equal.
    func convert(_ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>, count: Int)
}
