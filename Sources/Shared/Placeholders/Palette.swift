/// A colour of sRGB, 8 bits a sample.
struct RGB: Sendable, Hashable {
    var red: UInt8, green: UInt8, blue: UInt8

    init(_ hex: UInt32) {
        red = UInt8(hex >> 16 & 0xFF)
        green = UInt8(hex >> 8 & 0xFF)
        blue = UInt8(hex & 0xFF)
    }

    /// How bright the colour is, from 0 (black) to 1 (white) (WCAG 2.1, relative luminance).
    var relativeLuminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    /// IEC 61966-2-1, with the power 2.4 written as 2 + 2/5 and its fifth root found by Newton's method: the standard
    /// library alone has no other.
    private static func linear(_ sample: UInt8) -> Double {
        let value = Double(sample) / 255
        if value <= 0.04045 { return value / 12.92 }
        let base = (value + 0.055) / 1.055
        var root = 1.0
        for _ in 0..<20 {
            let fourth = root * root * root * root
            root -= (fourth * root - base) / (5 * fourth)
        }
        return base * base * root * root
    }
}

/// The colours of a theme.
struct Palette: Sendable, Hashable {
    var background: RGB
    var text: RGB
    /// The area within an icon's outline.
    var surface: RGB
    /// An icon's quiet parts, which it does not need to be understood.
    var soft: RGB
    /// An icon's outline.
    var line: RGB
    /// The part of an icon that catches the eye.
    var accent: RGB

    init(_ theme: Placeholder.Theme) {
        switch theme {
        case .light:
            background = RGB(0xF3F5F8)
            text = RGB(0x333D4B)
            surface = RGB(0xFFFFFF)
            soft = RGB(0xBCC6D4)
            line = RGB(0x64748B)
            accent = RGB(0x3B6FE0)
        case .dark:
            background = RGB(0x14181F)
            text = RGB(0xDDE3EC)
            surface = RGB(0x1E2530)
            soft = RGB(0x4A5769)
            line = RGB(0x8E9CB2)
            accent = RGB(0x7FA9FF)
        }
    }

    func color(_ tone: Icon.Tone) -> RGB {
        switch tone {
        case .background: background
        case .surface: surface
        case .soft: soft
        case .line: line
        case .accent: accent
        }
    }
}
