import Formats
import Images
import Support
import TestSupport
import Testing

@testable import Placeholders

@Suite struct DrawingTests {
    private static let card = PixelSize(width: 320, height: 200)

    private func draw(
        _ message: String, _ missing: Placeholder.Missing = .picture, theme: Placeholder.Theme = .light,
        font: String? = nil, size: PixelSize = card, scale: Double = 1
    ) throws -> Drawing {
        try Placeholder(missing: missing, message: message, theme: theme, font: font).draw(size: size, scale: scale)
    }

    @Test func picturesHaveExactlyTheRequestedSize() throws {
        let sides = [1, 2, 9, 16, 33, 64, 121, 300]
        for width in sides + [1000] {
            for height in sides {
                let size = PixelSize(width: width, height: height)
                let drawing = try draw("No picture today, but a long message with manywordsthatneverend", size: size)
                #expect(drawing.pixels.size == size)
                #expect(drawing.pixels.channels == 3)
                #expect(drawing.pixels.bytes.count == width * height * 3)
            }
        }
    }

    @Test func picturesOfTheMaximumSizeAreDrawn() throws {
        let largest = Placeholder.largestSide
        for size in [PixelSize(width: largest, height: 3), PixelSize(width: 3, height: largest)] {
            #expect(try draw("x", size: size).pixels.size == size)
        }
        #expect(try draw("No picture", size: PixelSize(width: largest, height: largest)).pixels.size.width == largest)
    }

    @Test func sizesOutOfRangeAreRefused() {
        for (width, height) in [(0, 10), (10, 0), (-1, 10), (8193, 10), (10, 8193), (.max, .max)] {
            let size = PixelSize(width: width, height: height)
            #expect(throws: PlaceholderError.size(size)) { try draw("x", size: size) }
        }
        #expect(
            summary(PlaceholderError.size(PixelSize(width: 0, height: 10))) == """
                64 placeholder-size: cannot draw a placeholder of 0x10 pixels; use a width and height from 1 to 8192
                """)
    }

    @Test func extremeAndInvalidScalesAreAccepted() throws {
        for scale in [0, -1, 1e9, .nan, .infinity, -.infinity] {
            #expect(try draw("No picture", scale: scale).pixels.size == Self.card)
        }
    }

    @Test func tinyPicturesHaveASingleColour() throws {
        let drawing = try draw("No picture", size: PixelSize(width: 8, height: 8))
        #expect(Set(stride(from: 0, to: 192, by: 3).map { Array(drawing.pixels.bytes[$0..<$0 + 3]) }).count == 1)
    }

    @Test func everyThemeAndIconLooksDifferent() throws {
        var seen: Set<PixelBuffer> = []
        for missing in Placeholder.Missing.allCases {
            for theme in Placeholder.Theme.allCases { seen.insert(try draw("", missing, theme: theme).pixels) }
        }
        #expect(seen.count == 8)
    }

    @Test func anEmptyMessageDrawsOnlyTheIconWithoutAWarning() throws {
        #expect(try draw("").warnings == [])
        #expect(try draw(" \n\u{202E}") == draw(""))
    }

    @Test func aDrawingCanBeEncoded() throws {
        #expect(try encode(draw("No picture").pixels, EncodeOptions(format: .png)).count > 100)
    }
}

@Suite struct MessageDrawingTests {
    private static let card = PixelSize(width: 320, height: 200)

    private func pixels(_ message: String, font: String? = nil, size: PixelSize = card) throws -> PixelBuffer {
        try Placeholder(missing: .picture, message: message, font: font).draw(size: size).pixels
    }

    @Test(.enabled(if: InstalledFonts.coverLatin)) func differentMessagesDrawDifferentPictures() throws {
        let drawn = try [pixels(""), pixels("No picture"), pixels("No pictures"), pixels("Größe")]
        #expect(Set(drawn).count == 4)
    }

    @Test(.enabled(if: InstalledFonts.coverLatin)) func equalPlaceholdersProduceEqualBytes() throws {
        let message = "No picture today: Größe, 画像, صورة, εικόνα"
        #expect(try pixels(message) == pixels(message))
    }

    @Test(.enabled(if: InstalledFonts.coverLatin)) func concurrentDrawingsProduceEqualBytes() throws {
        let message = "No picture today: Größe, 画像, صورة, εικόνα"
        let expected = try pixels(message)
        let drawn = Monitor<[PixelBuffer?]>([])
        let threads = try (0..<4).map { _ in
            try Thread.start {
                for _ in 0..<5 {
                    let one = try? Placeholder(missing: .picture, message: message).draw(size: Self.card).pixels
                    drawn.update { $0.append(one) }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(drawn.withLock { $0 } == Array(repeating: expected, count: 20))
    }

    @Test(.enabled(if: InstalledFonts.coverLatin)) func invisibleCharactersDoNotAffectThePicture() throws {
        #expect(try pixels("No\u{7} pic\u{202E}ture\n\u{200F}today\u{FEFF}") == pixels("No picture today"))
    }

    @Test(.enabled(if: InstalledFonts.coverLatin)) func overlongMessagesAreStillDrawn() throws {
        let endless = String(repeating: "What is missing is not said in a few words. ", count: 5000)
        let tower = "e" + String(repeating: "\u{301}", count: 5000)
        for size in [Self.card, PixelSize(width: 800, height: 60), PixelSize(width: 120, height: 900)] {
            #expect(try pixels(endless, size: size) != pixels("", size: size))
            #expect(try pixels(String(repeating: "x", count: 5000), size: size) != pixels("", size: size))
            #expect(try pixels(tower, size: size).size == size)
        }
    }

    @Test(.enabled(if: InstalledFonts.coverLatin)) func lettersHaveThePalettesTextColour() throws {
        let text = Palette(.light).text
        // At scale 8, even the thinnest stem of any font is wider than a pixel.
        let (size, scale) = (PixelSize(width: 2560, height: 1600), 8.0)
        func inked(_ message: String) throws -> Int {
            let bytes = try Placeholder(missing: .picture, message: message).draw(size: size, scale: scale).pixels.bytes
            return stride(from: 0, to: bytes.count, by: 3).count {
                bytes[$0] == text.red && bytes[$0 + 1] == text.green && bytes[$0 + 2] == text.blue
            }
        }
        #expect(try inked("") == 0)
        #expect(try inked("No picture") > 1000)
    }

    @Test(.enabled(if: InstalledFonts.coverJapanese)) func japaneseIsDrawnWithoutMissingGlyphs() throws {
        let drawing = try Placeholder(missing: .picture, message: "本日の画像データ").draw(size: Self.card)
        #expect(drawing.warnings == [])
        // Missing glyphs would all look the same.
        #expect(try pixels("画") != pixels("像"))
    }

    @Test(.enabled(if: InstalledFonts.coverArabic)) func arabicLettersAreJoined() throws {
        // A zero-width non-joiner keeps both letters in their isolated shapes.
        #expect(try pixels("بب") != pixels("ب\u{200C}ب"))
    }

    @Test(.enabled(if: InstalledFonts.coverArabic)) func arabicIsWrittenFromRightToLeft() throws {
        // Wide letters at the end of a line are on the left in Arabic and on the right in English.
        func centre(_ message: String) throws -> Double {
            let drawn = try Placeholder(missing: .picture, message: message)
                .draw(size: PixelSize(width: 600, height: 60)) { _ in
                    PixelBuffer(size: PixelSize(width: 1, height: 1), filledWith: [0, 0, 0, 0])
                }.pixels
            let inked = (0..<600 * 60).filter { drawn.bytes[3 * $0] < 0x80 }.map { $0 % 600 }
            return Double(inked.reduce(0, +)) / Double(max(inked.count, 1))
        }
        #expect(try centre("ا ا ا سسسسس") < centre("سسسسس ا ا ا"))
        #expect(try centre("i i i mmmmm") > centre("mmmmm i i i"))
    }

    @Test(.enabled(if: InstalledFonts.coverGreekAndCyrillic)) func greekAndCyrillicAreDrawn() throws {
        let drawing = try Placeholder(missing: .picture, message: "εικόνα картинка").draw(size: Self.card)
        #expect(drawing.warnings == [])
    }

    @Test(.enabled(if: InstalledFonts.coverLatin)) func aCharacterWithoutAFontIsOmittedWithAWarning() throws {
        // A letter of the Manichaean script. If a font for the script is installed, there is nothing to test.
        let drawing = try Placeholder(missing: .picture, message: "No \u{10AC0}picture").draw(size: Self.card)
        if drawing.warnings.isEmpty { return }
        #expect(drawing.warnings == ["no font contains U+10AC0; the message is drawn without it"])
        #expect(try drawing.pixels == pixels("No picture"))
    }
}
