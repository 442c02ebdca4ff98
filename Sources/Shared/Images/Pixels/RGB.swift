/// A colour in sRGB without alpha.
public struct RGB: Sendable, Hashable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Parses `#rrggbb`, `rrggbb`, `#rgb` or `rgb`. Returns nil if the text is invalid.
    public init?(hex text: String) {
        let digits = text.drop { $0 == "#" }.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard text.utf8.filter({ $0 == UInt8(ascii: "#") }).count <= 1, digits.count == 3 || digits.count == 6,
            !digits.contains(nil)
        else { return nil }
        let values = digits.map { UInt8($0!) }
        if values.count == 3 {
            self.init(red: values[0] * 17, green: values[1] * 17, blue: values[2] * 17)
        } else {
            self.init(
                red: values[0] << 4 | values[1], green: values[2] << 4 | values[3], blue: values[4] << 4 | values[5])
        }
    }

    public static let white = RGB(red: 255, green: 255, blue: 255)
    public static let black = RGB(red: 0, green: 0, blue: 0)

    var isGray: Bool { red == green && green == blue }

    /// Rec. 601 luma, as in JPEG.
    var luma: UInt8 {
        let sum: Int = 299 * Int(red) + 587 * Int(green) + 114 * Int(blue)
        return UInt8((sum + 500) / 1000)
    }
}
