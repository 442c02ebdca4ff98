import Libc

/// sRGB's transfer function (IEC 61966-2-1) and its inverse. Coded values and light are 0 to 1.
enum SRGBCurve {
    static func light(of coded: Double) -> Double {
        coded <= 0.04045 ? coded / 12.92 : pow((coded + 0.055) / 1.055, 2.4)
    }

    static func coded(_ light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    /// The light of each of the 256 samples.
    static let light: [Float] = (0...255).map { Float(light(of: Double($0) / 255)) }

    /// The number of steps in `samples`. Even in the steepest part of the curve, near black, rounding the light to a
    /// step changes a sample by at most a tenth before it is rounded.
    static let steps = 16_384

    /// The sample for each step of light.
    static let samples: [UInt8] = (0...steps).map { UInt8((coded(Double($0) / Double(steps)) * 255).rounded()) }
}
