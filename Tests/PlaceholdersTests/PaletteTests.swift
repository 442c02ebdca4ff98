import Images
import Testing

@testable import Placeholders

@Suite struct PaletteTests {
    @Test(arguments: Placeholder.Theme.allCases)
    func textHasTheContrastThatReadersNeed(theme: Placeholder.Theme) {
        let palette = Palette(theme)
        #expect(palette.text.contrast(with: palette.background) >= 4.5)
    }

    @Test(arguments: Placeholder.Theme.allCases)
    func whatAnIconIsUnderstoodByStandsOut(theme: Placeholder.Theme) {
        let palette = Palette(theme)
        for part in [palette.line, palette.accent] {
            #expect(part.contrast(with: palette.background) >= 3)
            #expect(part.contrast(with: palette.surface) >= 3)
        }
    }

    @Test func contrastIsThatOfTheGuidelines() {
        #expect(abs(RGB(0xFFFFFF).contrast(with: RGB(0x000000)) - 21) < 1e-9)
        #expect(RGB(0x123456).contrast(with: RGB(0x123456)) == 1)
        // The gray that is just dark enough on white, known to everyone who checks contrasts.
        #expect(abs(RGB(0x767676).contrast(with: RGB(0xFFFFFF)) - 4.54) < 0.005)
        #expect(RGB(0x777777).contrast(with: RGB(0xFFFFFF)) < 4.5)
    }
}

extension RGB {
    /// From 1 (none) to 21 (black on white) (WCAG 2.1, contrast ratio). Text wants 4.5 (1.4.3), icons want 3 (1.4.11).
    fileprivate func contrast(with other: RGB) -> Double {
        let (one, two) = (relativeLuminance, other.relativeLuminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }
}
