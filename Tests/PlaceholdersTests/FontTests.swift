import Formats
import Images
import Libc
import Support
import TestSupport
import Testing

@testable import Placeholders

@Suite struct FontTests {
    private static let card = PixelSize(width: 200, height: 120)

    private func draw(_ message: String, font: String?) throws -> Drawing {
        try Placeholder(missing: .forbidden, message: message, font: font).draw(size: Self.card)
    }

    /// Without fonts, the only warning is about Pango or fonts.
    private func expectUnusable(_ path: String, _ fault: String, _ drawing: Drawing) {
        #expect(drawing.warnings.count == 1)
        if !InstalledFonts.coverLatin { return }
        #expect(drawing.warnings == ["cannot use the font \(path): \(fault); the message is not drawn"])
    }

    @Test func aMissingFontFileIsNamedAndOnlyTheIconIsDrawn() throws {
        let drawing = try draw("No picture", font: "/nowhere/at-all.ttf")
        #expect(try drawing.pixels == draw("", font: nil).pixels)
        expectUnusable("/nowhere/at-all.ttf", systemMessage(ENOENT), drawing)
    }

    @Test func invalidFontFilesDrawOnlyTheIcon() throws {
        let folder = try TemporaryFolder()
        var random = SeededRandom(name: "no font")
        let contents: [[UInt8]] = [
            [], [0], Array("not a font".utf8), random.bytes(5000), [0, 1, 0, 0] + random.bytes(999),
        ]
        for (index, bytes) in contents.enumerated() {
            let path = try folder.write("font-\(index).ttf", bytes)
            let drawing = try draw("No picture", font: path)
            #expect(try drawing.pixels == draw("", font: nil).pixels)
            expectUnusable(path, "it is not an OpenType font with outlines", drawing)
        }
        let (inner, large) = (try folder.makeFolder("folder"), try folder.write("large.ttf", [0]))
        #expect(truncate(large, 257 << 20) == 0)
        for (path, fault) in [(inner, "it is not a regular file"), (large, "it is larger than 256 MiB")] {
            let drawing = try draw("No picture", font: path)
            #expect(try drawing.pixels == draw("", font: nil).pixels)
            expectUnusable(path, fault, drawing)
        }
    }

    @Test(.enabled(if: InstalledFonts.file != nil)) func aFontFileIsUsed() throws {
        let drawing = try draw("No picture", font: InstalledFonts.file)
        #expect(drawing.warnings == [])
        #expect(try drawing.pixels != draw("", font: nil).pixels)
    }

    @Test(.enabled(if: InstalledFonts.file != nil && InstalledFonts.coverJapanese))
    func missingGlyphsComeFromAnotherFont() throws {
        let drawing = try draw("No 画像", font: InstalledFonts.file)
        #expect(drawing.warnings == [])
        #expect(try drawing.pixels != draw("No", font: InstalledFonts.file).pixels)
    }

    @Test(.enabled(if: InstalledFonts.file != nil)) func aFontFileDoesNotAffectLaterDrawings() throws {
        let folder = try TemporaryFolder()
        let bytes = try TestFile.bytes(#require(InstalledFonts.file))
        let before = try draw("No picture", font: nil)
        let other = try draw("No picture", font: "monospace")
        let copy = try draw("No picture", font: folder.write("a, b.ttf", bytes))
        #expect(try copy == draw("No picture", font: InstalledFonts.file))
        #expect(try draw("No picture", font: "monospace") == other)
        #expect(try draw("No picture", font: nil) == before)
    }

    @Test(.enabled(if: InstalledFonts.coverLatin)) func aMissingFontFamilyIsReplacedWithAWarning() throws {
        let drawing = try draw("No picture", font: "No Such Family 7")
        #expect(drawing.warnings.count == 1)
        #expect(drawing.warnings[0].hasPrefix("the font family No Such Family 7 is not installed; using "))
        #expect(try drawing.pixels != draw("", font: nil).pixels)
        #expect(try draw("No picture", font: "monospace").warnings == [])
    }

    @Test(.enabled(if: InstalledFonts.file != nil)) func truncatedFontsDoNotCrash() throws {
        let folder = try TemporaryFolder()
        let whole = try TestFile.bytes(#require(InstalledFonts.file))
        for share in [1, 3, 10, 25, 50, 75, 90, 99] {
            let path = try folder.write("short-\(share).ttf", Array(whole[0..<whole.count * share / 100]))
            #expect(try draw("Größe, picture (503)", font: path).pixels.size == Self.card)
        }
    }

    @Test(.enabled(if: InstalledFonts.file != nil)) func damagedFontsDoNotCrash() throws {
        let folder = try TemporaryFolder()
        let whole = try TestFile.bytes(#require(InstalledFonts.file))
        var random = SeededRandom(name: "damaged font")
        for round in 0..<60 {
            var damaged = whole
            // A third of the rounds damage the table directory at the start of the file; the others damage glyphs,
            // widths and shaping tables.
            let reach = round % 3 == 0 ? 400 : damaged.count
            for _ in 0..<(round % 3 == 0 ? 4 : 4000) { damaged[random.below(reach)] = UInt8(random.below(256)) }
            let path = try folder.write("damaged-\(round).ttf", damaged)
            // Draw on a thread with a stack of 1 MiB, as the tools do.
            let size = Monitor<PixelSize?>(nil)
            try Thread.start {
                let drawing = try? draw("AVATAR Größe, ffi صورة", font: path)
                size.update { $0 = drawing?.pixels.size }
            }.join()
            #expect(size.withLock { $0 } == Self.card)
        }
    }

    @Test(.enabled(if: InstalledFonts.file != nil)) func hugeGlyphsDoNotCrash() throws {
        var bytes = try TestFile.bytes(#require(InstalledFonts.file))
        // The table directory (OpenType, "Table Directory") has 16 bytes per table from byte 12; the table's offset is
        // at byte 8 of its entry.
        let tag = Array("head".utf8)
        let entry = try #require(
            stride(from: 12, to: 12 + 16 * 40, by: 16).first { Array(bytes[$0..<$0 + 4]) == tag })
        let head = bytes[entry + 8..<entry + 12].reduce(0) { $0 << 8 | Int($1) }
        // unitsPerEm: at 16 units per em, the letters are a hundred ems wide.
        bytes[head + 18] = 0
        bytes[head + 19] = 16
        let folder = try TemporaryFolder()
        let path = try folder.write("huge.ttf", bytes)
        #expect(try draw("HUGE", font: path).pixels.size == Self.card)
    }
}
