import Formats
import Images
import Testing

@testable import Placeholders

/// Measures the contrast of drawn placeholders, pixel by pixel.
@Suite struct ContrastTests {
    /// The sizes of the styles at two scales, and of the variants.
    private static let sizes = [
        (800, 400), (400, 200), (800, 600), (320, 400), (160, 200), (360, 240), (1024, 1024), (1200, 200), (90, 60),
    ].map { PixelSize(width: $0.0, height: $0.1) }

    private static let messages = [
        "No", "No picture", "Not available now",
        "The picture of this day cannot be shown, since the service that has it has not answered in time.",
        String(repeating: "A long explanation that goes on and on, ", count: 40),
    ]

    /// The minimum contrast of text (WCAG 2.1, 1.4.3).
    private static let enough = 4.5

    private func nothing(_: PixelSize) -> PixelBuffer {
        PixelBuffer(size: PixelSize(width: 1, height: 1), filledWith: [0, 0, 0, 0])
    }

    private func colour(_ picture: PixelBuffer, _ x: Int, _ y: Int) -> RGB {
        let pixel = (y * picture.size.width + x) * 3
        return RGB(red: picture.bytes[pixel], green: picture.bytes[pixel + 1], blue: picture.bytes[pixel + 2])
    }

    @Test(arguments: Placeholder.Theme.allCases, Gradient.allCases)
    func textContrastsWithTheBackgroundBehindAndAroundIt(theme: Placeholder.Theme, gradient: Gradient) throws {
        let ink = Palette(theme).text
        for size in Self.sizes {
            let plain = try Placeholder(missing: .picture, theme: theme)
                .draw(size: size, scale: 2, gradient: gradient, icon: nothing).pixels
            for message in Self.messages {
                let drawing = try Placeholder(missing: .picture, message: message, theme: theme)
                    .draw(size: size, scale: 2, gradient: gradient, icon: nothing)
                guard drawing.warnings.isEmpty else { return }
                var coverage = 0.0
                var least = Double.infinity
                for y in 0..<size.height {
                    for x in 0..<size.width where colour(drawing.pixels, x, y) != colour(plain, x, y) {
                        let paper = colour(plain, x, y).relativeLuminance
                        let drawn = colour(drawing.pixels, x, y).relativeLuminance
                        coverage = max(coverage, (paper - drawn) / (paper - ink.relativeLuminance))
                        for row in max(y - 1, 0)...min(y + 1, size.height - 1) {
                            least = min(least, ink.contrast(with: colour(plain, x, row)))
                        }
                    }
                }
                // Nothing may cover the letters: their strongest pixel must have more than 60 % of the text's colour,
                // since stems may be thinner than a pixel. The smallest size has no letters.
                let isDrawn = coverage > 0.6 && coverage < 1.01
                #expect(isDrawn || least == .infinity && size.height < 100, "\(size) \(message): \(coverage)")
                #expect(least >= Self.enough, "\(size) \(message): \(least)")
            }
        }
    }

    @Test(arguments: Placeholder.Theme.allCases, Gradient.allCases)
    func iconsContrastWithTheBackgroundAtEveryPixel(theme: Placeholder.Theme, gradient: Gradient) throws {
        let palette = Palette(theme)
        for size in Self.sizes {
            let plain = try Placeholder(missing: .picture, theme: theme)
                .draw(size: size, scale: 2, gradient: gradient, icon: nothing).pixels
            for missing in Placeholder.Missing.allCases {
                let drawn = try Placeholder(missing: missing, theme: theme)
                    .draw(size: size, scale: 2, gradient: gradient).pixels
                var lines = 0
                var least = Double.infinity
                for y in 0..<size.height {
                    for x in 0..<size.width where [palette.line, palette.accent].contains(colour(drawn, x, y)) {
                        lines += 1
                        least = min(least, colour(drawn, x, y).contrast(with: colour(plain, x, y)))
                    }
                }
                #expect(lines > 20 && least >= Self.enough, "\(missing) \(size): \(least)")
            }
        }
    }

    @Test(arguments: Gradient.allCases) func lightPlaceholderStaysLightUnderEveryGradient(gradient: Gradient) throws {
        for size in Self.sizes {
            let plain = try Placeholder(missing: .picture, theme: .light)
                .draw(size: size, gradient: gradient, icon: nothing).pixels
            let darkest = (0..<size.height).map { colour(plain, 0, $0).relativeLuminance }.min()
            #expect(try #require(darkest) > 0.7, "\(size)")
        }
    }

    @Test func aCustomIconIsCentredInTheIconsSquare() throws {
        var told: PixelSize?
        let drawing = try Placeholder(missing: .picture).draw(size: PixelSize(width: 200, height: 100)) { place in
            told = place
            return PixelBuffer(size: PixelSize(width: place.width, height: 10), filledWith: [200, 30, 40])
        }
        let place = try #require(told)
        let red = RGB(red: 200, green: 30, blue: 40)
        let columns = (0..<200).filter { colour(drawing.pixels, $0, 50) == red }
        #expect(columns == Array(100 - place.width / 2..<100 - place.width / 2 + place.width))
        #expect((0..<100).filter { colour(drawing.pixels, 100, $0) == red }.count == 10)
    }
}
