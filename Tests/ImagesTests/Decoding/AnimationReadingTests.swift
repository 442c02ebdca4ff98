import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// Decodes all frames of an animation, each to its own buffer.
func allFrames(
    _ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions()
) throws -> (plays: Int, frames: [(delay: Int, picture: PixelBuffer)]) {
    let source = MemorySource(bytes)
    let reader = try #require(try animationReader(source, inspect(source, limits: options.limits), options: options))
    let count = reader.size.width * reader.size.height * 4
    var frames: [(delay: Int, picture: PixelBuffer)] = []
    while let frame = try reader.nextFrame() {
        #expect(frame.index == frames.count)
        let pixels = Array(UnsafeBufferPointer(start: frame.pixels, count: count))
        frames.append((frame.delay, PixelBuffer(size: reader.size, channels: 4, bytes: pixels)))
    }
    #expect(options.allowsTruncated || frames.count == reader.frameCount)
    return (reader.plays, frames)
}

/// Converts the pixels of small animations to and from text, with a letter per pixel.
private enum Letters {
    static let palette: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
    private static let names: [Character] = ["r", "g", "b", "w"]

    static func frame(_ rows: [String], x: Int = 0, y: Int = 0) -> DrawnAnimation.Frame {
        // A dot is index 7, which is transparent in every frame that has a dot.
        let pixels = rows.joined().map { UInt8(names.firstIndex(of: $0) ?? 7) }
        var frame = DrawnAnimation.Frame(width: rows[0].count, height: rows.count, pixels: pixels)
        frame.x = x
        frame.y = y
        if pixels.contains(7) { frame.transparent = 7 }
        return frame
    }

    static func animation(_ width: Int, _ height: Int, _ frames: [DrawnAnimation.Frame]) -> [UInt8] {
        DrawnAnimation(
            width: width, height: height, palette: palette + Array(repeating: [9, 9, 9], count: 4), frames: frames
        ).gif()
    }

    static func rows(_ picture: PixelBuffer) -> [String] {
        (0..<picture.size.height).map { y in
            String(
                (0..<picture.size.width).map { x -> Character in
                    let pixel = (0..<4).map { picture.sample(x, y, $0) }
                    if pixel == [0, 0, 0, 0] { return "." }
                    return palette.firstIndex(of: Array(pixel[..<3])).map { names[$0] } ?? "?"
                })
        }
    }
}

@Suite struct AnimationReadingTests {
    private func canvases(_ width: Int, _ height: Int, _ frames: [DrawnAnimation.Frame]) throws -> [[String]] {
        try allFrames(Letters.animation(width, height, frames)).frames.map { Letters.rows($0.picture) }
    }

    @Test func frameThatIsMissingSinceTheInspectionIsDamage() throws {
        // The first frame is larger than the pieces in which the file is read.
        let picture = DrawnPicture.noise(300, 300, seed: 1)
        let source = ReplacedSource(DrawnAnimation([picture, picture]).gif())
        let reader = try #require(try animationReader(source, inspect(source), options: DecodeOptions()))
        source.replace(by: DrawnAnimation([picture]).gif())
        #expect(try reader.nextFrame() != nil)
        #expect(message { _ = try reader.nextFrame() } == "65 the GIF is corrupt: fewer frames than expected")
    }

    @Test func laterFrameIsDrawnOverAKeptFrame() throws {
        let frames = [Letters.frame(["rr", "rr"]), Letters.frame(["g."], x: 0, y: 1)]
        #expect(try canvases(2, 2, frames) == [["rr", "rr"], ["rr", "gr"]])
    }

    @Test func disposedFrameClearsOnlyItsRectangle() throws {
        var second = Letters.frame(["gg"], x: 1, y: 0)
        second.disposal = 2
        let frames = [Letters.frame(["rrr", "rrr"]), second, Letters.frame(["b"], x: 0, y: 1)]
        #expect(try canvases(3, 2, frames) == [["rrr", "rrr"], ["rgg", "rrr"], ["r..", "brr"]])
    }

    @Test(arguments: [3, 4]) func restoreToPreviousShowsTheEarlierFrame(disposal: Int) throws {
        var second = Letters.frame(["gg", "gg"])
        second.disposal = disposal
        let frames = [Letters.frame(["rrr", "bbb"]), second, Letters.frame(["w"], x: 2, y: 0)]
        #expect(try canvases(3, 2, frames) == [["rrr", "bbb"], ["ggr", "ggb"], ["rrw", "bbb"]])
    }

    @Test func restoredFirstFrameLeavesAnEmptyCanvas() throws {
        var first = Letters.frame(["rr"])
        first.disposal = 3
        #expect(try canvases(2, 1, [first, Letters.frame(["g"])]) == [["rr"], ["g."]])
    }

    @Test func pixelsOutsideTheCanvasAreNotDrawn() throws {
        var outside = Letters.frame(["ww", "ww"], x: 5, y: 5)
        outside.disposal = 2
        let frames = [Letters.frame(["rrr", "ggg", "bbb"], x: 1, y: 1), outside, Letters.frame(["w"])]
        #expect(try canvases(2, 2, frames) == [["..", ".r"], ["..", ".r"], ["w.", ".r"]])
    }

    @Test func delaysMatchTheFile() throws {
        let frames = [0, 1, 2, 10, 65_535].map { delay in
            var frame = Letters.frame(["r"])
            frame.delay = delay
            return frame
        }
        #expect(try allFrames(Letters.animation(1, 1, frames)).frames.map(\.delay) == [0, 10, 20, 100, 655_350])
    }

    @Test(arguments: [(nil, 1), (0, 0), (1, 2), (65_535, 65_536)] as [(Int?, Int)])
    func playsAreTheStoredRepetitionsPlusOne(stored: Int?, plays: Int) throws {
        let animation = DrawnAnimation(
            width: 1, height: 1, palette: Letters.palette, frames: [Letters.frame(["r"])], loop: stored)
        #expect(try allFrames(animation.gif()).plays == plays)
    }

    @Test func truncatedAnimationHasItsCompleteFramesIfAllowed() throws {
        let bytes = Letters.animation(2, 1, [Letters.frame(["rr"]), Letters.frame(["gg"]), Letters.frame(["bb"])])
        let cut = Array(bytes.dropLast(6))
        #expect(failureCode { _ = try allFrames(cut) } == "truncated-image")
        let frames = try allFrames(cut, DecodeOptions(allowsTruncated: true)).frames
        #expect(frames.map { Letters.rows($0.picture) } == [["rr"], ["gg"]])
        let nothing = Array(bytes[..<60])
        #expect(failureCode { _ = try allFrames(nothing, DecodeOptions(allowsTruncated: true)) } == "truncated-image")
    }

    @Test(arguments: [false, true]) func truncatedStillGIFHasItsCompleteRowsIfAllowed(interlaced: Bool) throws {
        // The data has several blocks of 255 bytes, because a truncated block is not decoded at all.
        var random = SeededRandom(seed: 3)
        let rows = (0..<60).map { _ in String((0..<90).map { _ in "rgbw".randomElement(using: &random)! }) }
        var bytes = Letters.animation(90, 60, [Letters.frame(rows)])
        // Sets the interlace flag of the image descriptor (GIF89a §20).
        if interlaced { bytes[bytes.firstIndex(of: 0x2C)! + 9] |= 0x40 }
        let cut = Array(bytes.dropLast(300))
        let size = PixelSize(width: 90, height: 60)
        func read(allowsTruncated: Bool) throws -> [String] {
            let reader = try GIFReader(
                MemorySource(cut), size: size, options: DecodeOptions(allowsTruncated: allowsTruncated))
            let row = AlignedBuffer(count: 90 * reader.layout.channels)
            return try (0..<60).map { _ in
                try reader.readRow(into: row.bytes)
                let colour = Array(UnsafeBufferPointer(start: row.bytes, count: 3))
                return colour == [0, 0, 0] ? "missing" : "there"
            }
        }
        #expect(failureCode { _ = try read(allowsTruncated: false) } == "truncated-image")
        let read = try read(allowsTruncated: true)
        #expect(read.first == "there")
        #expect(read.contains("missing"))
    }

    /// Returns an animation of three frames. From its second pixel on, the second frame has codes that are not in the
    /// table yet.
    private func damagedAnimation() throws -> [UInt8] {
        var bytes = Letters.animation(2, 1, ["rr", "gg", "bb"].map { Letters.frame([$0]) })
        let second = try #require(bytes.indices.filter { bytes[$0] == 0x2C }.dropFirst().first)
        let end = try #require(bytes[(second + 12)...].firstIndex(of: 0))
        for place in second + 12..<end { bytes[place] = 0xFF }
        return bytes
    }

    @Test func framesAfterADamagedFrameAreReadIfAllowed() throws {
        let bytes = try damagedAnimation()
        #expect(failureCode { _ = try allFrames(bytes) } == "corrupt-image")
        let options = DecodeOptions(allowsDamage: true)
        let frames = try allFrames(bytes, options).frames.map { Letters.rows($0.picture) }
        #expect(frames.count == 3 && frames.first == ["rr"] && frames.last == ["bb"])
        let source = MemorySource(bytes)
        let reader = try GIFAnimationReader(source, options: options)
        while try reader.nextFrame() != nil {}
        #expect(reader.isDamaged)
    }

    @Test func initialCodesOf12BitsAreRead() throws {
        // The codes are a clear code, the pixels 1 and 0, and the end code.
        let codes = [2048, 1, 0, 2049].enumerated().reduce(0) { $0 | $1.element << (12 * $1.offset) }
        let data = (0..<6).map { UInt8(truncatingIfNeeded: codes >> (8 * $0)) }
        let bytes: [UInt8] =
            Array("GIF89a".utf8) + [2, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 255, 0] + [0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0]
            + [11, 6] + data + [0, 0x3B]
        #expect(try allFrames(bytes).frames.map { Letters.rows($0.picture) } == [["gr"]])
        let picture = try decode(MemorySource(bytes))
        #expect(picture.bytes == [0, 255, 0, 255, 0, 0])
    }

    @Test func frameIsDecodedByItsIndex() throws {
        let frames = [Letters.frame(["rr"]), Letters.frame(["g."])]
        let source = MemorySource(Letters.animation(2, 1, frames))
        #expect(try Letters.rows(decodeFrame(0, of: source)) == ["rr"])
        #expect(try Letters.rows(decodeFrame(1, of: source)) == ["gr"])
        #expect(failureCode { _ = try decodeFrame(2, of: source) } == "no-such-frame")
        #expect(failureCode { _ = try decodeFrame(-1, of: source) } == "no-such-frame")
        let still = MemorySource(try encode(.noise(3, 3, channels: 3), EncodeOptions(format: .png)))
        #expect(try decodeFrame(0, of: still).size == PixelSize(width: 3, height: 3))
        #expect(failureCode { _ = try decodeFrame(1, of: still) } == "no-such-frame")
    }

    @Test func laterFramesAreNotDecoded() throws {
        // Damages the data of the last frame: its codes are not in the table yet.
        var bytes = Letters.animation(2, 1, [Letters.frame(["rr"]), Letters.frame(["gg"])])
        let last = try #require(bytes.lastIndex(of: 0x2C))
        for place in last + 12..<bytes.count - 2 { bytes[place] = 0xFF }
        #expect(try Letters.rows(decodeFrame(0, of: MemorySource(bytes))) == ["rr"])
    }

    @Test func bombsAreRejectedBeforeMemoryIsAllocated() throws {
        func bomb(_ width: Int, _ height: Int, frames: Int) -> [UInt8] {
            var animation = DrawnAnimation(
                width: 2, height: 1, palette: Letters.palette,
                frames: Array(repeating: Letters.frame(["r"]), count: frames))
            (animation.width, animation.height) = (width, height)
            return animation.gif()
        }
        #expect(bomb(60_000, 60_000, frames: 5).count < 300)
        #expect(failureCode { _ = try allFrames(bomb(60_000, 60_000, frames: 5)) } == "too-many-pixels")
        #expect(failureCode { _ = try allFrames(bomb(19_000, 19_000, frames: 5)) } == "out-of-memory-limit")
        #expect(failureCode { _ = try allFrames(bomb(15_000, 15_000, frames: 20)) } == "too-many-animation-pixels")
        #expect(failureCode { _ = try allFrames(bomb(1, 1, frames: 2_001)) } == "too-many-frames")
        let limits = DecodeLimits(maxFrames: 3)
        #expect(
            failureCode { _ = try allFrames(bomb(2, 2, frames: 4), DecodeOptions(limits: limits)) }
                == "too-many-frames")
    }

    @Test func pixelLimitAppliesToAFrameLargerThanItsCanvas() throws {
        let frame = Letters.frame(Array(repeating: String(repeating: "r", count: 40), count: 40))
        let bytes = Letters.animation(1, 1, [frame])
        let options = DecodeOptions(limits: DecodeLimits(maxPixels: 1_000))
        #expect(failureCode { _ = try allFrames(bytes, options) } == "too-many-pixels")
    }

    @Test func interruptionStopsTheReader() throws {
        let options = DecodeOptions()
        let source = MemorySource(Letters.animation(1, 1, [Letters.frame(["r"]), Letters.frame(["g"])]))
        let reader = try #require(try animationReader(source, inspect(source), options: options))
        _ = try reader.nextFrame()
        options.interruption.cancel(.outputClosed)
        #expect(throws: Cancelled.self) { _ = try reader.nextFrame() }
    }

    // MARK: Corpus

    /// GIFs without any pixel. This decoder rejects them; the suite expects a transparent pixel.
    ///
    /// The suite also treats an image without a delay as a part of the next frame. Browsers show it as a separate
    /// frame, and this decoder does the same.
    private static let refused: Set<String> = ["no-data", "image-zero-size", "image-zero-width"]

    @Test(.enabled(if: Corpus.isPresent)) func framesOfTheGIFTestSuiteMatchItsExpectations() throws {
        let folder = "images/gif/gif-test-suite"
        var compared = 0
        for name in try suiteNames() {
            let settings = try Corpus.bytes("\(folder)/\(name).conf")
            let expected = SuiteCase(String(decoding: settings, as: UTF8.self))
            let bytes = try Corpus.bytes("\(folder)/\(name).gif")
            if expected.frames.isEmpty || Self.refused.contains(name) {
                #expect(failureCode { _ = try allFrames(bytes) } != nil, "\(name)")
                continue
            }
            var (plays, frames) = try allFrames(bytes)
            if frames.count != expected.frames.count {
                let shown = frames.filter { $0.delay > 0 }
                frames = shown.isEmpty ? frames.suffix(1) : shown
            }
            #expect(frames.count == expected.frames.count, "\(name)")
            for (frame, wanted) in zip(frames, expected.frames) {
                let pixels = try Corpus.bytes("\(folder)/\(wanted.pixels)")
                #expect(frame.picture.bytes.count == pixels.count, "\(name)")
                #expect(frame.picture.bytes == pixels, "\(name)")
                if let delay = wanted.delay { #expect(frame.delay == delay * 10, "\(name)") }
                compared += 1
            }
            if let loop = expected.loop, loop > 0 { #expect(plays == loop + 1, "\(name)") }
        }
        #expect(compared > 60)
    }

    private func suiteNames() throws -> [String] {
        try TemporaryFolder.names(in: Corpus.path("images/gif/gif-test-suite"))
            .filter { $0.hasSuffix(".conf") }.map { String($0.dropLast(5)) }
    }
}

/// The suite's expectations of a file, from its `.conf`.
private struct SuiteCase {
    struct Frame {
        var pixels = ""
        /// The delay in hundredths of a second.
        var delay: Int?
    }

    var frames: [Frame] = []
    /// Nil if infinite.
    var loop: Int?

    init(_ text: String) {
        var names: [String] = []
        var sections: [String: Frame] = [:]
        var section = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("[") {
                section = String(line.dropFirst().dropLast())
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "frames": names = parts[1].split(separator: ",").map(String.init)
            case "loop-count": loop = Int(parts[1])
            case "pixels": sections[section, default: Frame()].pixels = parts[1]
            case "delay": sections[section, default: Frame()].delay = Int(parts[1])
            default: break
            }
        }
        frames = names.map { sections[$0] ?? Frame() }
    }
}
