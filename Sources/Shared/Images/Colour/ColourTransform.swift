/// Turns rows of pixels, as a file has them, into sRGB of 8 bits a sample.
///
/// Rows are converted before anything is resampled: resampled in its own encoding, an edge between strong colours of
/// Display P3 comes out 120 levels off, and between inks it darkens (measured: 2.4 levels on average over a chart of
/// squares, 0.06 to 0.14 over photographs, of which single pixels were 17 off).
final class ColourTransform {
    /// Whether a picture may be scaled before it is converted, as JPEG decoders can: if the curve of its levels is near
    /// that of sRGB, that moves the samples of photographs by 0.16 levels (root mean square) at most.
    let toleratesScaling: Bool
    private let conversion: any RowConversion
    /// Bytes of a pixel before and after.
    private let pixelBytes: (in: Int, out: Int)

    /// Real profiles end at about 2 MB; larger ones count as none.
    static let profileByteLimit = 8 << 20
    /// Pixels that are converted before a look at the time: 7 ms with the slowest profiles measured, those of inks.
    private static let pixelsAtATime = 1 << 16

    /// Returns nil if nothing needs to be done: there is no profile, or it is sRGB for all that can be seen, does not fit
    /// the pixels, is corrupt, or larger than any real one. Inks always need it.
    ///
    /// - Parameter sampleBytes: of the rows that come: 1, or 2 for samples of 16 bits in the machine's byte order.
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

    /// For colours that a file describes without a profile. Returns nil if those are sRGB's.
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

    /// Converts `count` pixels. `input` and `output` may be the same memory if a pixel has as many bytes in both.
    /// Throws what `options.check` does, between pieces.
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

/// One way of converting pixels, without a look at the time.
protocol RowConversion {
    /// Converts `count` pixels. Both may be the same memory if a pixel has as many bytes in both.
    func convert(_ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>, count: Int)
}
