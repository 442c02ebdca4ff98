import Support
import Testing

@testable import Formats

@Suite struct GIFStructureTests {
    private func structure(_ bytes: [UInt8], limits: GIFStructure.Limits = .standard) throws -> GIFStructure {
        try GIFStructure.read(MemorySource(bytes), limits: limits)
    }

    @Test func allFieldsForDisplayAreRead() throws {
        let palette = [UInt8](repeating: 9, count: 12)
        let bytes = Tiny.gif(
            width: 40, height: 30, Tiny.loop(3), Tiny.control(delay: 1, disposal: 2, transparent: 5),
            Tiny.gifFrame(left: 3, top: 4, width: 5, height: 6, flags: 0x81, palette: palette),
            [0x21, 0xFE, 3, 65, 66, 67, 0], Tiny.control(delay: 300, disposal: 3), Tiny.gifFrame(flags: 0x40),
            Tiny.gifFrame())
        let gif = try structure(bytes + [1, 2, 3])
        #expect(gif.canvas == PixelSize(width: 40, height: 30))
        #expect(gif.globalPaletteCount == 2)
        #expect(gif.loopCount == 3)
        #expect(gif.plays == 4)
        #expect(gif.durationMilliseconds == 3010)
        #expect(gif.hasTransparency)
        #expect(gif.commentCount == 1)
        #expect(gif.end == bytes.count)
        #expect(
            gif.frames == [
                GIFFrame(
                    left: 3, top: 4, size: PixelSize(width: 5, height: 6), delayMilliseconds: 10, disposal: .background,
                    transparentIndex: 5, localPaletteCount: 4, isInterlaced: false),
                GIFFrame(
                    left: 0, top: 0, size: PixelSize(width: 4, height: 3), delayMilliseconds: 3000, disposal: .previous,
                    transparentIndex: nil, localPaletteCount: 0, isInterlaced: true),
                GIFFrame(
                    left: 0, top: 0, size: PixelSize(width: 4, height: 3), delayMilliseconds: 0, disposal: .unspecified,
                    transparentIndex: nil, localPaletteCount: 0, isInterlaced: false),
            ])
    }

    @Test func playsAreCountedAsInBrowsers() throws {
        #expect(try structure(Tiny.gif(Tiny.gifFrame())).plays == 1)
        #expect(try structure(Tiny.gif(Tiny.loop(0), Tiny.gifFrame())).plays == 0)
        #expect(try structure(Tiny.gif(Tiny.loop(65_535, name: "ANIMEXTS1.0"), Tiny.gifFrame())).plays == 65_536)
        #expect(try structure(Tiny.gif(Tiny.loop(5, name: "ADOBE    XY"), Tiny.gifFrame())).plays == 1)
        #expect(try structure(Tiny.gif(Tiny.loop(5), Tiny.gifFrame(), Tiny.loop(0))).plays == 0)
    }

    @Test func zerosBetweenBlocksArePadding() throws {
        let plain = try structure(Tiny.gif(Tiny.loop(2), Tiny.gifFrame(), Tiny.gifFrame()))
        let padded = Tiny.gif([0], Tiny.loop(2), [0, 0], Tiny.gifFrame(), [0], Tiny.gifFrame(), [0, 0, 0])
        #expect(try structure(padded).frames == plain.frames && structure(padded).loopCount == 2)
        #expect(failure { _ = try structure(Array(padded.dropLast())) }?.code == "truncated-image")
    }

    @Test(arguments: [(0, 0, 8, 8), (0, 9, 8, 9), (9, 0, 9, 8), (4, 3, 4, 3), (9, 9, 9, 9)])
    func screenSideOfZeroExtendsToTheEdgeOfTheFirstImage(width: Int, height: Int, right: Int, bottom: Int) throws {
        // A later image does not extend the canvas.
        let bytes = Tiny.gif(
            width: width, height: height, Tiny.loop(0), Tiny.gifFrame(left: 3, top: 2, width: 5, height: 6),
            Tiny.gifFrame(left: 50, top: 60))
        let edges = PixelSize(width: right, height: bottom)
        #expect(try structure(bytes).canvas == edges)
        #expect(try ImageHeader.read(MemorySource(bytes)).storedSize == edges)
        #expect(try ImageInspection.inspect(MemorySource(bytes)).storedSize == edges)
    }

    @Test func screenOfSizeZeroWithoutAnImageIsCorrupt() {
        for bytes in [Tiny.gif(width: 0, height: 0), Tiny.gif(width: 0, height: 0, Tiny.loop(0), end: [])] {
            #expect(failure { _ = try structure(bytes) }?.fault == "a width or height of 0")
        }
    }

    @Test func completeFramesBeforeAnInvalidBlockAreReadIfAllowed() throws {
        let damaged = Tiny.gif(Tiny.gifFrame(), Tiny.gifFrame(), [0x40], Tiny.gifFrame())
        func frames(_ bytes: [UInt8]) throws -> Int {
            try GIFStructure.read(MemorySource(bytes), allowsDamage: true).frameCount
        }
        #expect(try frames(damaged) == 2)
        #expect(failure { _ = try frames(Tiny.gif([0x40], Tiny.gifFrame())) }?.code == "corrupt-image")
        #expect(failure { _ = try frames(Array(damaged.prefix(20))) }?.code == "truncated-image")
    }

    @Test func malformedBlocksAreCorrupt() {
        let (zero, size) = ("a frame with a width or height of 0", "a code size outside 1 to 11")
        let bad: [(String, [UInt8])] = [
            ("no frame", Tiny.gif()), (zero, Tiny.gif(Tiny.gifFrame(width: 0))),
            (zero, Tiny.gif(Tiny.gifFrame(height: 0))),
            ("a block that is not an image, extension or trailer", Tiny.gif(Tiny.gifFrame(), [0x40])),
            (
                "a graphic control extension of invalid length",
                Tiny.gif([0x21, 0xF9, 3, 0, 0, 0, 0], Tiny.gifFrame())
            ),
            (size, Tiny.gif(Tiny.gifFrame().dropLast(5) + [0, 1, 1, 0])),
            (size, Tiny.gif(Tiny.gifFrame().dropLast(5) + [12, 1, 1, 0])),
            ("a frame without data", Tiny.gif(Tiny.gifFrame().dropLast(5) + [2, 0])),
        ]
        for (fault, bytes) in bad { #expect(failure { _ = try structure(bytes) }?.fault == fault) }
    }

    @Test func gifWithoutItsTrailerIsTruncated() {
        #expect(failure { _ = try structure(Tiny.gif(Tiny.gifFrame(), end: [])) } == .truncated(.gif))
    }

    @Test func limitsApplyBeforeMemoryIsAllocated() {
        let many = Tiny.gif((0..<20).flatMap { _ in Tiny.gifFrame() })
        #expect(
            failure { _ = try structure(many, limits: .init(frames: 19, pixelsOverAllFrames: 1_000)) }
                == .overLimit(.gif, "more than 19 frames"))
        let pixels = failure { _ = try structure(many, limits: .init(frames: 20, pixelsOverAllFrames: 12 * 20 - 1)) }
        #expect(pixels == .overLimit(.gif, "20 or more frames of 4x3 exceed 239 pixels"))
        #expect(throws: Never.self) { try structure(many, limits: .init(frames: 20, pixelsOverAllFrames: 12 * 20)) }
        let bomb = Tiny.gif(width: 65_535, height: 65_535, Tiny.gifFrame())
        #expect(failure { _ = try structure(bomb) }?.code == "over-limit")
    }

    @Test func picturesOfOtherFormatsAreRefused() {
        #expect(failure { _ = try structure(Tiny.png()) } == .notGIF(.png))
        #expect(failure { _ = try structure(Array("{}".utf8)) } == .notAnImage(.json))
    }
}
