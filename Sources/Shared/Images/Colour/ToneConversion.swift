import Libc

/// Converts high dynamic range (PQ, HLG) for a display with white at 203 cd/m², the reference white of ITU-R BT.2408.
///
/// Maps tones with the curve of ITU-R BT.2390 (EETF, §5.4.1), which keeps black to middle tones, and compresses
/// brighter tones so that the picture's peak becomes white. All three samples of a pixel get the gain of the largest
/// sample, which preserves hues. HLG is first converted for a display of 1000 cd/m² (ITU-R BT.2100 table 5, with a
/// system gamma of 1.2). Colours outside sRGB are clipped.
final class ToneConversion: RowConversion {
    /// Reference white in cd/m².
    static let white = 203.0
    /// The peak luminance of the display for HLG in cd/m².
    private static let hybridPeak = 1000.0
    private static let systemGamma = 1.2

    private let layout: RowLayout
    private let isWide: Bool
    /// The light of each level: for PQ in units of 10,000 cd/m², for HLG scene light from 0 to 1.
    private let light: [Float]
    /// The contribution of each primary to luminance; nil for PQ.
    private let luminance: [Float]?
    /// The gain of light, indexed by the fourth root of the largest sample.
    private let gains: [Float]
    private let matrix: [Float]

    private static let gainSteps = 4096

    /// Returns nil if the transfer function is neither PQ nor HLG, or if the primaries are degenerate.
    init?(_ signal: ColourSignal, layout: RowLayout, levels: Int) {
        let peak: Double
        let curve: (Double) -> Double
        guard let matrix = signal.chromaticities.toSRGB, let toXYZ = signal.chromaticities.toXYZ, layout != .cmyk else {
            return nil
        }
        switch signal.transfer {
        case .perceptual(let brightest):
            peak = brightest
            curve = Self.light(ofPerceptual:)
            luminance = nil
        case .hybrid:
            peak = Self.hybridPeak
            curve = Self.light(ofHybrid:)
            luminance = toXYZ.values[3..<6].map { Float($0) }
        default: return nil
        }
        self.layout = layout
        isWide = levels > 256
        light = signal.codedValues(levels: levels).map { Float(curve($0)) }
        self.matrix = matrix.values.map { Float($0 * Double(SRGBCurve.steps)) }
        gains = (0...Self.gainSteps).map { step in
            // Black gets the gain of the next step, because 0 / 0 is undefined.
            let root = Double(max(step, 1)) / Double(Self.gainSteps)
            let light = root * root * root * root
            return Float(Self.shown(light, peak: peak) / light)
        }
    }

    func convert(_ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>, count: Int) {
        let channels = layout.channels
        let wide = UnsafeRawPointer(input).assumingMemoryBound(to: UInt16.self)
        for i in 0..<count {
            func level(_ c: Int) -> Int { isWide ? Int(wide[i * channels + c]) : Int(input[i * channels + c]) }
            let alpha = layout.hasAlpha ? level(channels - 1) : 0
            let target = output + i * channels
            if channels < 3 {
                target[0] = shown(light[level(0)], 0, 0, isGray: true).red
            } else {
                let colour = shown(light[level(0)], light[level(1)], light[level(2)], isGray: false)
                (target[0], target[1], target[2]) = (colour.red, colour.green, colour.blue)
            }
            if layout.hasAlpha { target[channels - 1] = UInt8(isWide ? (alpha * 255 + 32895) >> 16 : alpha) }
        }
    }

    /// Returns the sRGB colour for the light of a pixel.
    private func shown(_ first: Float, _ second: Float, _ third: Float, isGray: Bool) -> RGB {
        var (red, green, blue) = isGray ? (first, first, first) : (first, second, third)
        if let luminance {
            let sum = luminance[0] * red + luminance[1] * green + luminance[2] * blue
            let scale = powf(max(sum, 0), Float(Self.systemGamma - 1)) * Float(Self.hybridPeak / 10_000)
            (red, green, blue) = (red * scale, green * scale, blue * scale)
        }
        let place = min(max(red, green, blue), 1).squareRoot().squareRoot() * Float(Self.gainSteps)
        let step = min(Int(place), Self.gainSteps - 1)
        let gain = gains[step] + (gains[step + 1] - gains[step]) * (place - Float(step))
        (red, green, blue) = (red * gain, green * gain, blue * gain)
        func sample(_ row: Int) -> UInt8 {
            let light = matrix[row] * red + matrix[row + 1] * green + matrix[row + 2] * blue
            return SRGBCurve.samples[Int(min(max(light, 0), Float(SRGBCurve.steps)) + 0.5)]
        }
        return RGB(red: sample(0), green: sample(3), blue: sample(6))
    }

    /// Maps light in units of 10,000 cd/m² to light of the display, in units of reference white.
    static func shown(_ light: Double, peak: Double) -> Double {
        let brightest = perceptual(ofLight: peak / 10_000)
        let white = perceptual(ofLight: white / 10_000) / brightest
        let knee = 1.5 * white - 0.5
        var tone = min(perceptual(ofLight: light) / brightest, 1)
        if tone > knee && knee < 1 {
            let t = (tone - knee) / (1 - knee)
            let (t2, t3) = (t * t, t * t * t)
            tone = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * white
        }
        return Self.light(ofPerceptual: tone * brightest) * 10_000 / Self.white
    }

    /// SMPTE ST 2084's constants.
    private static let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
    private static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)

    static func light(ofPerceptual coded: Double) -> Double {
        let root = pow(max(coded, 0), 1 / m2)
        return pow(max(root - c1, 0) / (c2 - c3 * root), 1 / m1)
    }

    static func perceptual(ofLight light: Double) -> Double {
        let power = pow(max(light, 0), m1)
        return pow((c1 + c2 * power) / (1 + c3 * power), m2)
    }

    static func light(ofHybrid coded: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        return coded <= 0.5 ? coded * coded / 3 : (exp((coded - c) / a) + b) / 12
    }
}
