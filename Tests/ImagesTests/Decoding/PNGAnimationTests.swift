import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// Converts the pixels of animated PNGs to and from letters: red, green, blue, half-transparent white, and a dot for
/// transparent.
private enum Letters {
    static let colours: [(letter: Character, pixel: [UInt8])] = [
        ("r", [255, 0, 0, 255]), ("g", [0, 255, 0, 255]), ("b", [0, 0, 255, 255]), ("w", [255, 255, 255, 128]),
        (".", [0, 0, 0, 0]),
    ]

    static func frame(
        _ rows: [String], x: Int = 0, y: Int = 0, disposal: UInt8 = 0, blend: UInt8 = 0
    ) -> DrawnPNGAnimation.Frame {
        let bytes = rows.joined().flatMap { letter in colours.first { $0.letter == letter }!.pixel }
        var frame = DrawnPNGAnimation.Frame(width: rows[0].count, height: rows.count, bytes: bytes)
        (frame.x, frame.y, frame.disposal, frame.blend) = (x, y, disposal, blend)
        return frame
    }

    static func rows(_ picture: PixelBuffer) -> [String] {
        (0..<picture.size.height).map { y in
            String(
                (0..<picture.size.width).map { x -> Character in
                    let pixel = (0..<4).map { picture.sample(x, y, $0) }
                    return colours.first { $0.pixel == pixel }?.letter ?? "?"
                })
        }
    }
}

@Suite struct PNGAnimationTests {
    private func canvases(_ frames: [DrawnPNGAnimation.Frame], _ width: Int = 3) throws -> [[String]] {
        let height = frames[0].height
        return try allFrames(DrawnPNGAnimation(width: width, height: height, frames: frames).png()).frames
            .map { Letters.rows($0.picture) }
    }

    @Test func frameWithoutBlendingReplacesAllPixels() throws {
        let frames = [Letters.frame(["rrr", "rrr"]), Letters.frame([".g"], x: 1, y: 1)]
        #expect(try canvases(frames) == [["rrr", "rrr"], ["rrr", "r.g"]])
    }

    @Test func blendedFrameShowsTheFrameBelow() throws {
        let second = Letters.frame([".g"], x: 1, y: 1, blend: 1)
        #expect(try canvases([Letters.frame(["rrr", "rrr"]), second]) == [["rrr", "rrr"], ["rrr", "rrg"]])
    }

    @Test func translucentPixelsAreBlendedByTheirAlpha() throws {
        let frames = [Letters.frame(["r.w"]), Letters.frame(["www"], blend: 1)]
        let picture = try allFrames(DrawnPNGAnimation(width: 3, height: 1, frames: frames).png()).frames[1].picture
        #expect((0..<4).map { picture.sample(0, 0, $0) } == [255, 128, 128, 255])
        #expect((0..<4).map { picture.sample(1, 0, $0) } == [255, 255, 255, 128])
        // The alpha is 128 plus half of the remaining 127.
        #expect((0..<4).map { picture.sample(2, 0, $0) } == [255, 255, 255, 192])
    }

    @Test func clearedFrameLeavesATransparentRectangle() throws {
        let frames = [
            Letters.frame(["rrr", "rrr"]), Letters.frame(["gg"], x: 1, disposal: 1), Letters.frame(["b"], y: 1),
        ]
        #expect(try canvases(frames) == [["rrr", "rrr"], ["rgg", "rrr"], ["r..", "brr"]])
    }

    @Test func restoreToPreviousShowsTheEarlierFrame() throws {
        let frames = [
            Letters.frame(["rrr", "bbb"]), Letters.frame(["gg", "gg"], disposal: 2), Letters.frame(["g"], x: 2),
        ]
        #expect(try canvases(frames) == [["rrr", "bbb"], ["ggr", "ggb"], ["rrg", "bbb"]])
    }

    @Test func restoredFirstFrameLeavesAnEmptyCanvas() throws {
        let frames = [Letters.frame(["rr"], disposal: 2), Letters.frame(["g"])]
        #expect(try canvases(frames, 2) == [["rr"], ["g."]])
    }

    @Test(arguments: [1, 5]) func delaysPlayCountAndSplitFrameDataAreRead(pieces: Int) throws {
        let delays: [(UInt16, UInt16)] = [(1, 10), (0, 0), (7, 0), (1, 3)]
        var animation = DrawnPNGAnimation(
            width: 3, height: 2,
            frames: delays.map { delay in
                var frame = Letters.frame(["rgb", "bgr"])
                frame.delay = delay
                return frame
            })
        animation.plays = 4
        animation.pieces = pieces
        let read = try allFrames(animation.png())
        #expect(read.plays == 4 && read.frames.map(\.delay) == [100, 0, 70, 333])
        #expect(read.frames.allSatisfy { Letters.rows($0.picture) == ["rgb", "bgr"] })
    }

    @Test func separateStillPictureIsNotAFrame() throws {
        var animation = DrawnPNGAnimation(width: 1, height: 1, frames: [Letters.frame(["r"]), Letters.frame(["g"])])
        animation.still = [0, 0, 255, 255]
        let source = MemorySource(animation.png())
        #expect(try allFrames(animation.png()).frames.map { Letters.rows($0.picture) } == [["r"], ["g"]])
        #expect(try decode(source).sample(0, 0, 0) == 255)
        #expect(try decodeFrame(0, of: source).sample(0, 0, 0) == 255)
        #expect(try decodeFrame(1, of: source).sample(0, 0, 1) == 255)
        #expect(failureCode { _ = try decodeFrame(2, of: source) } == "no-such-frame")
    }

    @Test func singleFrameIsShownInsteadOfTheHiddenStillPicture() throws {
        var animation = DrawnPNGAnimation(width: 2, height: 1, frames: [Letters.frame(["g"], x: 1)])
        animation.still = [0, 0, 255, 255, 0, 0, 255, 255]
        let source = MemorySource(animation.png())
        let info = try inspect(source)
        #expect(info.hasSeparateStaticImage && info.isAnimated == false)
        #expect(try Letters.rows(decode(source)) == [".g"])
        #expect(try Letters.rows(decodeFrame(0, of: source)) == [".g"])
        let sink = MemorySink()
        try downsample(
            source, info, to: [Output(Geometry(), encoding: EncodeOptions(format: .png), sink: sink)],
            options: DecodeOptions()
        ) { _, _ in }
        #expect(Letters.rows(try decode(MemorySource(sink.bytes))) == [".g"])
        // Without a valid frame, the hidden picture is shown.
        var broken = animation.chunks
        broken.removeAll { $0.type == "fdAT" }
        #expect(Letters.rows(try decode(MemorySource(DrawnPNGAnimation.png(broken)))) == ["bb"])
    }

    @Test func frameControlBeforeAnimationControlIsRead() throws {
        var animation = DrawnPNGAnimation(
            width: 1, height: 1, frames: [[0], [1]].map { .init(width: 1, height: 1, bytes: $0) })
        animation.palette = [255, 0, 0, 0, 255, 0]
        var chunks = animation.chunks
        let first = chunks.firstIndex { $0.type == "fcTL" }!
        chunks.insert(chunks.remove(at: first), at: 1)
        let frames = try allFrames(DrawnPNGAnimation.png(chunks)).frames
        #expect(frames.map { Letters.rows($0.picture) } == [["r"], ["g"]])
        #expect(try inspect(MemorySource(DrawnPNGAnimation.png(chunks))).hasSeparateStaticImage == false)
    }

    @Test func paletteAndTransparencyAreSharedByAllFrames() throws {
        var frame = DrawnPNGAnimation.Frame(width: 2, height: 1, bytes: [0, 1])
        frame.blend = 1
        var animation = DrawnPNGAnimation(width: 2, height: 1, frames: [frame, frame])
        animation.palette = [0, 255, 0, 255, 0, 0]
        var chunks = animation.chunks
        chunks.insert(PNGChunk("tRNS", [0, 255]), at: 3)
        let frames = try allFrames(DrawnPNGAnimation.png(chunks)).frames
        #expect(frames.map { Letters.rows($0.picture) } == [[".r"], [".r"]])
    }

    // MARK: Damage

    /// Returns the fault after a change of the chunks; nil if there is none.
    private func fault(_ change: (inout [PNGChunk]) -> Void) -> String? {
        var animation = DrawnPNGAnimation(
            width: 3, height: 2, frames: (0..<3).map { _ in Letters.frame(["rgb", "bgr"]) })
        animation.pieces = 2
        var chunks = animation.chunks
        change(&chunks)
        let bytes = DrawnPNGAnimation.png(chunks)
        let words = message { _ = try PNGAnimation.read(MemorySource(bytes), frameLimit: 9) }
        // Invalid animations are shown as still pictures, as in browsers.
        let header = try? inspect(MemorySource(bytes))
        let reader = header.flatMap { try? animationReader(MemorySource(bytes), $0, options: DecodeOptions()) }
        #expect((reader == nil) == (words != nil))
        return words?.replacing(text: "65 the PNG is corrupt: ", with: "")
    }

    /// Changes a byte of the last chunk of a type.
    private func fault(_ type: String, byte: Int, _ value: UInt8) -> String? {
        fault { chunks in
            let index = chunks.lastIndex { $0.type == type }!
            var data = chunks[index].data
            data[byte] = value
            chunks[index] = PNGChunk(type, data)
        }
    }

    @Test func invalidAnimationChunksAreDetected() {
        #expect(fault { _ in } == nil)
        // The chunks are IHDR, acTL, fcTL and two IDAT; then, twice, fcTL and two fdAT; then IEND.
        let rows: [(String?, String)] = [
            (fault { $0.remove(at: 6) }, "animation chunks out of order"),
            (fault { $0.swapAt(6, 7) }, "animation chunks out of order"),
            (fault { $0.removeSubrange(9...10) }, "a frame without data"),
            (fault { $0.removeSubrange(8...10) }, "2 frames instead of the declared 3"),
            (
                fault { $0[8] = PNGChunk("fcTL", Array($0[8].data.dropLast())) },
                "a frame control chunk of invalid length"
            ),
            (fault { $0[9] = PNGChunk("fdAT", [0, 0]) }, "an animation chunk without a sequence number"),
            (
                fault { $0[2...4] = [PNGChunk("fdAT", [0, 0, 0, 0, 1])] },
                "frame data without a frame control chunk"
            ),
            (
                fault { chunks in
                    var data = chunks[2].data
                    data[7] = 2
                    chunks[2] = PNGChunk("fcTL", data)
                }, "a first frame whose size differs from the picture's"
            ),
            (fault("fcTL", byte: 7, 0), "a frame outside the picture"),
            (fault("fcTL", byte: 7, 4), "a frame outside the picture"),
            (fault("fcTL", byte: 12, 255), "a frame outside the picture"),
            (fault("fcTL", byte: 24, 3), "an unknown dispose or blend operation"),
            (fault("fcTL", byte: 25, 2), "an unknown dispose or blend operation"),
        ]
        for (found, expected) in rows { #expect(found == expected) }
    }

    @Test func fileThatBecomesShorterIsTruncated() throws {
        let bytes = DrawnPNGAnimation(
            width: 3, height: 1, frames: [Letters.frame(["rgb"]), Letters.frame(["bgr"])]
        ).png()
        for count in [0, 20, 28, 33, 60] {
            let source = ReplacedSource(bytes)
            let reader = try #require(try animationReader(source, inspect(source), options: DecodeOptions()))
            source.replace(by: Array(bytes[..<count]))
            #expect(message { _ = try reader.nextFrame() } == "65 the PNG is truncated; fetch it again", "\(count)")
        }
    }

    @Test func chunksOfAFrameAreLimited() throws {
        let noise = PixelBuffer.noise(200, 200, channels: 4).bytes
        let frame = DrawnPNGAnimation.Frame(width: 200, height: 200, bytes: noise)
        var animation = DrawnPNGAnimation(width: 200, height: 200, frames: [frame, frame])
        animation.pieces = 140_000
        #expect(
            message { _ = try allFrames(animation.png()) }
                == "77 the PNG exceeds a limit: a frame of more than 65536 chunks")
    }

    @Test func wrongChecksumOfAFrameIsDamage() throws {
        let bytes = DrawnPNGAnimation(
            width: 3, height: 1, frames: [Letters.frame(["rgb"]), Letters.frame(["bgr"])]
        ).png()
        #expect(failureCode { _ = try allFrames(bytes) } == nil)
        // Changes the last byte before the IEND chunk of twelve bytes, and a data byte before the checksum.
        for place in [13, 20] {
            var damaged = bytes
            damaged[bytes.count - place] ^= 1
            #expect(failureCode { _ = try allFrames(damaged) } == "corrupt-image")
        }
    }

    @Test func pngWithoutAnimationControlBeforeTheDataIsStill() throws {
        let chunks = DrawnPNGAnimation(
            width: 1, height: 1, frames: [Letters.frame(["r"]), Letters.frame(["g"])]
        ).chunks
        var late = chunks
        late.append(late.remove(at: 1))
        var none = chunks
        none[1] = PNGChunk("acTL", [0, 0, 0, 0, 0, 0, 0, 0])
        for chunks in [late, none] {
            let source = MemorySource(DrawnPNGAnimation.png(chunks))
            #expect(try PNGAnimation.read(source, frameLimit: 9) == nil)
        }
    }

    @Test func firstFrameControlMayPrecedeAnimationControl() throws {
        var chunks = DrawnPNGAnimation(
            width: 1, height: 1, frames: [Letters.frame(["r"]), Letters.frame(["g"])]
        ).chunks
        #expect(chunks[1].type == "acTL" && chunks[2].type == "fcTL")
        chunks.swapAt(1, 2)
        #expect(try allFrames(DrawnPNGAnimation.png(chunks)).frames.map { Letters.rows($0.picture) } == [["r"], ["g"]])
    }

    @Test func truncatedAnimationHasItsCompleteFramesIfAllowed() throws {
        let frames = ["r", "g", "b"].map { Letters.frame([$0]) }
        let cut = Array(DrawnPNGAnimation(width: 1, height: 1, frames: frames).png().dropLast(20))
        #expect(failureCode { _ = try allFrames(cut) } == "truncated-image")
        let read = try allFrames(cut, DecodeOptions(allowsTruncated: true)).frames
        #expect(read.map { Letters.rows($0.picture) } == [["r"], ["g"]])
    }

    @Test func animationLimitsAreChecked() throws {
        let frames = (0..<4).map { _ in Letters.frame(["rg"]) }
        let bytes = DrawnPNGAnimation(width: 2, height: 1, frames: frames).png()
        func code(_ limits: DecodeLimits) -> String? {
            failureCode { _ = try allFrames(bytes, DecodeOptions(limits: limits)) }
        }
        #expect(code(DecodeLimits(maxFrames: 3)) == "too-many-frames")
        #expect(code(DecodeLimits(maxAnimationPixels: 7)) == "too-many-animation-pixels")
        #expect(code(DecodeLimits(maxMemoryBytes: 7)) == "out-of-memory-limit")
        #expect(code(DecodeLimits(maxFrames: 4, maxAnimationPixels: 8)) == nil)
    }
}
