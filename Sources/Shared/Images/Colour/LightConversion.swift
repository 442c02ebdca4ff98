import CKernels

/// Curves and a matrix, applied to each pixel in floating point.
final class LightConversion: RowConversion {
    private let isWide: Bool
    private let channels: Int
    private let hasAlpha: Bool
    /// Of gray: the sample of sRGB for each that comes.
    private let grays: [UInt8]
    /// Of three channels, one behind the other.
    private let curves: [Float]
    /// To steps of `SRGBCurve.samples`, row by row.
    private let matrix: [Float]

    /// - Parameter light: with 65536 levels for samples of 16 bits.
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

/// Inks without a profile, each of which takes its share of the light.
struct InkConversion: RowConversion {
    func convert(_ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>, count: Int) {
        apod_cmyk_to_rgb(input, output, count)
    }
}
