import Libc

/// A colour in Oklab (Björn Ottosson, 2020), in which distances match perceived differences.
struct Oklab {
    /// 0 for black to 1 for white.
    var lightness: Float
    /// From green to red, and from blue to yellow: 0 for gray, up to about 0.3.
    var a: Float
    var b: Float

    /// The distance from gray.
    var chroma: Float { (a * a + b * b).squareRoot() }
}

extension Oklab {
    init(_ colour: RGB) {
        self.init(
            red: SRGBCurve.light[Int(colour.red)], green: SRGBCurve.light[Int(colour.green)],
            blue: SRGBCurve.light[Int(colour.blue)])
    }

    private init(red: Float, green: Float, blue: Float) {
        let long = cbrtf(0.412_221_47 * red + 0.536_332_54 * green + 0.051_445_99 * blue)
        let medium = cbrtf(0.211_903_5 * red + 0.680_699_55 * green + 0.107_396_96 * blue)
        let short = cbrtf(0.088_302_46 * red + 0.281_718_84 * green + 0.629_978_7 * blue)
        self.init(
            lightness: 0.210_454_26 * long + 0.793_617_8 * medium - 0.004_072_05 * short,
            a: 1.977_998_5 * long - 2.428_592_2 * medium + 0.450_593_7 * short,
            b: 0.025_904_04 * long + 0.782_771_77 * medium - 0.808_675_77 * short)
    }

    /// The nearest sRGB colour, with clamped samples.
    var rgb: RGB {
        let long = cube(lightness + 0.396_337_78 * a + 0.215_803_76 * b)
        let medium = cube(lightness - 0.105_561_35 * a - 0.063_854_17 * b)
        let short = cube(lightness - 0.089_484_18 * a - 1.291_485_5 * b)
        return RGB(
            red: Self.sample(4.076_741_7 * long - 3.307_711_6 * medium + 0.230_969_94 * short),
            green: Self.sample(-1.268_438 * long + 2.609_757_4 * medium - 0.341_319_38 * short),
            blue: Self.sample(-0.004_196_09 * long - 0.703_418_6 * medium + 1.707_614_7 * short))
    }

    private func cube(_ root: Float) -> Float { root * root * root }

    private static func sample(_ light: Float) -> UInt8 {
        UInt8((SRGBCurve.coded(min(max(Double(light), 0), 1)) * 255).rounded())
    }
}
