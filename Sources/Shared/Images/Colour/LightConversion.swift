import CKernels

/// Applies curves and a matrix to each pixel in floating point.
final class LightConversion: RowConversion {
    private let isWide: Bool
    private let channels: Int
    private let hasAlpha: Bool
    /// For gray: the sRGB sample of each input sample.
    private let grays: [UInt8]
    /// The curves of three channels, concatenated.
    private let curves: [Float]
    /// Row-major, scaled to steps of `SRGBCurve.samples`.
    private let matrix: [Float]

    /// - Parameter light: has 256 levels for 8-bit samples, or 65536 levels for 16-bit samples.
    init(_ light: LightEncoding, layout: RowLayout) {
        precondition(light.curves.count == (layout.channels < 3 ? 1 : 3))
        isWide = light.curves[0].count > 256
        channels = layout.channels
        hasAlpha = layout.hasAlpha
        let isGray = light.curves.count == 1
        grays = isGray ? light.curves[0].map { SRGBCurve.samples[Int($0 * Float(SRGBCurve.steps) + 0.5)] } : []
        curves = isGray ? [] : light.curves.flatMap { $0 }
        matrix = light.matrix.values.map { Float($0 * Double(SRGBCurve.steps)) }
    }

    func convert(_ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>, count: Int) {
        if grays.isEmpty {
            apod_light_to_srgb(
                input, isWide ? 1 : 0, channels, count, curves, matrix, SRGBCurve.samples, SRGBCurve.steps, output)
        } else {
            apod_look_up_gray(input, isWide ? 1 : 0, channels, count, grays, output)
        }
    }
}

/// Converts CMYK without a profile: each ink absorbs its share of light.
struct InkConversion: RowConversion {
    func convert(_ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>, count: Int) {
        apod_cmyk_to_rgb(input, output, count)
    }
}
