import Images
import Testing

@testable import Placeholders

@Suite struct PaletteTests {
    @Test(arguments: Placeholder.Theme.allCases)
    func textContrastMeetsWCAG(theme: Placeholder.Theme) {
        let palette = Palette(theme)
        #expect(palette.text.contrast(with: palette.background) >= 4.5)
    }

    @Test(arguments: Placeholder.Theme.allCases)
    func iconPartsContrastWithBackgroundAndSurface(theme: Placeholder.Theme) {
        let palette = Palette(theme)
        for part in [palette.line, palette.accent] {
            #expect(part.contrast(with: palette.background) >= 4.5)
            #expect(part.contrast(with: palette.surface) >= 4.5)
        }
    }

    @Test func contrastFormulaMatchesWCAG() {
        #expect(abs(RGB(0xFFFFFF).contrast(with: RGB(0x000000)) - 21) < 1e-9)
        #expect(RGB(0x123456).contrast(with: RGB(0x123456)) == 1)
        // #767676 is the lightest grey with sufficient contrast on white.
        #expect(abs(RGB(0x767676).contrast(with: RGB(0xFFFFFF)) - 4.54) < 0.005)
        #expect(RGB(0x777777).contrast(with: RGB(0xFFFFFF)) < 4.5)
    }
}

extension RGB {
    /// The relative luminance (WCAG 2.1), from 0 (black) to 1 (white).
    var relativeLuminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    /// Decodes an sRGB sample (IEC 61966-2-1). The power 2.4 is computed as 2 + 2/5, with the fifth root by Newton's
    /// method: the standard library has no power function.
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

    /// The contrast ratio (WCAG 2.1), from 1 (equal colours) to 21 (black on white). Text needs 4.5 (1.4.3), icons need
    /// 3 (1.4.11).
    func contrast(with other: RGB) -> Double {
        let (one, two) = (relativeLuminance, other.relativeLuminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }
}
