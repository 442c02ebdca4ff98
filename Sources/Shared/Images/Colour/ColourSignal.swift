import Libc

/// Primaries and a transfer function that a file specifies without a profile, as in PNG's cICP, gAMA and cHRM.
struct ColourSignal: Equatable {
    /// The x and y (CIE 1931) of red, green, blue and white.
    struct Chromaticities: Equatable {
        typealias Point = (x: Double, y: Double)
        private let values: [Double]

        init(red: Point, green: Point, blue: Point, white: Point) {
            values = [red.x, red.y, green.x, green.y, blue.x, blue.y, white.x, white.y]
        }

        /// The matrix from linear light of these primaries to XYZ, with Y = 1 for white. Nil for degenerate primaries.
        var toXYZ: Matrix3? {
            func xyz(_ i: Int) -> Matrix3.Row {
                let (x, y) = (values[2 * i], values[2 * i + 1])
                return (x / y, 1, (1 - x - y) / y)
            }
            guard [1, 3, 5, 7].allSatisfy({ values[$0] > 0 }) else { return nil }
            let primaries = Matrix3(columns: xyz(0), xyz(1), xyz(2))
            guard let inverse = primaries.inverse else { return nil }
            let (red, green, blue) = inverse * xyz(3)
            return primaries * Matrix3(diagonal: red, green, blue)
        }

        /// The matrix to linear sRGB, which maps white to white (Bradford adaptation, ICC.1:2022 annex E).
        var toSRGB: Matrix3? {
            let cones = Matrix3(
                rows: (0.8951, 0.2664, -0.1614), (-0.7502, 1.7135, 0.0367), (0.0389, -0.0685, 1.0296))
            guard let toXYZ, let fromXYZ = Self.sRGB.toXYZ?.inverse, let fromCones = cones.inverse else { return nil }
            let white = cones * (toXYZ * (1, 1, 1))
            let target = cones * ((Self.sRGB.toXYZ ?? .identity) * (1, 1, 1))
            guard white.0 > 0, white.1 > 0, white.2 > 0 else { return nil }
            let gains = Matrix3(diagonal: target.0 / white.0, target.1 / white.1, target.2 / white.2)
            return fromXYZ * fromCones * gains * cones * toXYZ
        }

        static let d65: Point = (0.3127, 0.3290)
        static let sRGB = Chromaticities(red: (0.64, 0.33), green: (0.30, 0.60), blue: (0.15, 0.06), white: d65)
    }

    enum Transfer: Equatable {
        case sRGB
        /// Light is the coded value raised to this power.
        case power(Double)
        /// The inverse of the television transfer function in ITU-R BT.709 §1.2.
        case television
        /// SMPTE ST 2084, as in ITU-R BT.2100 table 4: absolute light up to `peak` cd/m².
        case perceptual(peak: Double)
        /// Hybrid log-gamma (ITU-R BT.2100 table 5).
        case hybrid
    }

    var chromaticities: Chromaticities
    var transfer: Transfer
    /// Whether coded values use all levels. Otherwise, they use 16 to 235 of 255.
    var isFullRange = true

    /// Returns the coded value, 0 to 1, of each level.
    func codedValues(levels: Int) -> [Double] {
        let last = Double(levels - 1)
        // With 16 bits, the bounds of the narrow range are shifted by 8 bits (ITU-R BT.2100 table 9).
        let unit = Double(levels / 256)
        return (0..<levels).map { level in
            guard !isFullRange else { return Double(level) / last }
            return min(max((Double(level) - 16 * unit) / (219 * unit), 0), 1)
        }
    }

    /// Returns the conversion of samples to light, or nil for HDR and for degenerate primaries.
    func light(levels: Int, isGray: Bool) -> LightEncoding? {
        guard let matrix = chromaticities.toSRGB else { return nil }
        let curve: (Double) -> Double
        switch transfer {
        case .sRGB: curve = SRGBCurve.light
        case .power(let exponent): curve = { pow($0, exponent) }
        case .television: curve = { $0 < 0.081 ? $0 / 4.5 : pow(($0 + 0.099) / 1.099, 1 / 0.45) }
        case .perceptual, .hybrid: return nil
        }
        let samples = codedValues(levels: levels).map { Float(curve($0)) }
        // The matrix maps grays to themselves, so a gray picture needs only the curve.
        return LightEncoding(curves: [[Float]](repeating: samples, count: isGray ? 1 : 3), matrix: matrix)
    }
}

extension ColourSignal {
    /// Interprets the code points of ITU-T H.273 for RGB pictures, as in PNG's cICP (PNG, third edition, §11.3.2.6).
    /// Returns nil if a code point is reserved, unspecified or unsupported.
    ///
    /// - Parameter peak: the peak luminance of the picture in cd/m², if the file specifies it.
    init?(primaries: UInt8, transfer: UInt8, matrix: UInt8, fullRange: UInt8, peak: Double?) {
        guard matrix == 0, fullRange <= 1, let chromaticities = Self.chromaticities[primaries] else { return nil }
        // By default 1000 cd/m², the most common mastering level of HDR (ITU-R BT.2100 table 5, note 5e).
        let peak = min(max(peak ?? 1000, ToneConversion.white), 10_000)
        let function: Transfer
        switch transfer {
        case 1, 6, 11, 14, 15: function = .television
        case 4: function = .power(2.2)
        case 5: function = .power(2.8)
        case 8: function = .power(1)
        case 13: function = .sRGB
        case 16: function = .perceptual(peak: peak)
        case 18: function = .hybrid
        default: return nil
        }
        self.init(chromaticities: chromaticities, transfer: function, isFullRange: fullRange == 1)
    }

    /// The code points of H.273 table 2.
    private static let chromaticities: [UInt8: Chromaticities] = {
        typealias Primaries = Chromaticities
        let ntsc = Primaries(red: (0.630, 0.340), green: (0.310, 0.595), blue: (0.155, 0.070), white: Primaries.d65)
        return [
            1: .sRGB,
            4: Primaries(red: (0.67, 0.33), green: (0.21, 0.71), blue: (0.14, 0.08), white: (0.310, 0.316)),
            5: Primaries(red: (0.64, 0.33), green: (0.29, 0.60), blue: (0.15, 0.06), white: Primaries.d65),
            6: ntsc, 7: ntsc,
            8: Primaries(red: (0.681, 0.319), green: (0.243, 0.692), blue: (0.145, 0.049), white: (0.310, 0.316)),
            9: Primaries(red: (0.708, 0.292), green: (0.170, 0.797), blue: (0.131, 0.046), white: Primaries.d65),
            11: Primaries(red: (0.680, 0.320), green: (0.265, 0.690), blue: (0.150, 0.060), white: (0.314, 0.351)),
            12: Primaries(red: (0.680, 0.320), green: (0.265, 0.690), blue: (0.150, 0.060), white: Primaries.d65),
            22: Primaries(red: (0.630, 0.340), green: (0.295, 0.605), blue: (0.155, 0.077), white: Primaries.d65),
        ]
    }()

    /// Interprets PNG's gAMA and cHRM, in units of 1/100000 (PNG, third edition, §11.3.2.1 and §11.3.2.2). Missing or
    /// invalid values default to sRGB. Returns nil if neither chunk is valid.
    init?(gamma: UInt32?, chromaticities points: [Int32]?) {
        let exponent = gamma.map { 100_000 / Double(max($0, 1)) }
        let isPower = exponent.map { (0.1...10).contains($0) } ?? false
        var chromaticities: Chromaticities?
        if let points, points.count == 8 {
            let v = points.map { Double($0) / 100_000 }
            let read = Chromaticities(red: (v[0], v[1]), green: (v[2], v[3]), blue: (v[4], v[5]), white: (v[6], v[7]))
            if read.toSRGB != nil { chromaticities = read }
        }
        guard isPower || chromaticities != nil else { return nil }
        self.init(chromaticities: chromaticities ?? .sRGB, transfer: isPower ? .power(exponent!) : .sRGB)
    }
}
