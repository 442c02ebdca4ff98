import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// Encodes RGBA canvases as an animation.
func animation(
    _ frames: [(delay: Int, picture: PixelBuffer)], plays: Int = 0, _ options: EncodeOptions
) throws -> [UInt8] {
    let sink = MemorySink()
    let drain = EncoderOutput(options.format, sink)
    let writer = try animationWriter(
        options, size: frames[0].picture.size, plays: plays, limits: .standard, into: drain)
    for frame in frames {
        precondition(frame.picture.channels == 4)
        try frame.picture.bytes.withUnsafeBufferPointer { try writer.write($0.baseAddress!, delay: frame.delay) }
    }
    try writer.finish()
    #expect(drain.count == sink.bytes.count)
    return sink.bytes
}

extension PixelBuffer {
    /// Random pixels of `count` colours. With `holes`, some pixels are transparent.
    fileprivate static func confetti(
        _ width: Int, _ height: Int, colours count: Int, seed: UInt64, holes: Bool = false
    ) -> PixelBuffer {
        var random = SeededRandom(seed: seed)
        let colours = (0..<count).map { index in
            [UInt8(index), UInt8.random(in: 0...255, using: &random), UInt8.random(in: 0...255, using: &random), 255]
        }
        var bytes: [UInt8] = []
        for index in 0..<width * height {
            // Each colour occurs at least once.
            let colour = index < count ? colours[index] : colours.randomElement(using: &random)!
            bytes += holes && index >= count && Bool.random(using: &random) ? [0, 0, 0, 0] : colour
        }
        return PixelBuffer(size: PixelSize(width: width, height: height), channels: 4, bytes: bytes)
    }

    /// A disc of soft colours, which moves across a transparent canvas.
    fileprivate static func disc(at step: Int) -> PixelBuffer {
        var picture = waves(60, 40, channels: 4)
        for y in 0..<40 {
            for x in 0..<60 {
                let (dx, dy) = (x - 10 - step * 3, y - 20)
                let isInside = dx * dx + dy * dy < 100
                for channel in 0..<4 where !isInside || channel == 3 {
                    picture.bytes[(y * 60 + x) * 4 + channel] = isInside ? 255 : 0
                }
            }
        }
        return picture
    }
}

@Suite struct AnimationWritingTests {
    private let gif = EncodeOptions(format: .gif)

    @Test(arguments: [2, 17, 255]) func framesOfFewColoursAreKeptExactly(colours: Int) throws {
        let frames = (0..<5).map { (delay: 40, picture: PixelBuffer.confetti(30, 20, colours: colours, seed: $0)) }
        let back = try allFrames(animation(frames, gif))
        #expect(back.frames.map(\.picture) == frames.map(\.picture))
    }

    @Test(arguments: [OutputFormat.jpeg, .png, .avif]) func otherFormatsHoldNoAnimation(_ format: OutputFormat) {
        let frame = (delay: 40, picture: PixelBuffer.confetti(4, 3, colours: 2, seed: 1))
        let name = ImageFormat.all.first { $0.id == format.rawValue }?.name ?? ""
        #expect(
            message { _ = try animation([frame], EncodeOptions(format: format)) }
                == "70 cannot encode the \(name): the format does not support animations")
    }

    @Test func lengthOfAWebPAnimationIsLimited() throws {
        // Each delay is reduced to its limit of 2^24 - 1 milliseconds.
        let frames = (0..<129).map { (delay: 1 << 30, picture: PixelBuffer.confetti(4, 3, colours: 2, seed: $0)) }
        let webp = EncodeOptions(format: .webp)
        let back = try allFrames(animation(Array(frames[..<2]), webp)).frames
        #expect(back.map(\.delay) == [16_777_215, 16_777_215])
        #expect(
            message { _ = try animation(frames, webp) }
                == "70 cannot encode the WebP: the animation is longer than 24 days")
    }

    @Test func framesOf256ColoursAreExactAmongOtherFrames() throws {
        let frames = [256, 3, 256, 256, 20].enumerated().map {
            (delay: 40, picture: PixelBuffer.confetti(30, 20, colours: $1, seed: UInt64($0)))
        }
        #expect(try allFrames(animation(frames, gif)).frames.map(\.picture) == frames.map(\.picture))
    }

    @Test func transparentPixelsAppearAndDisappear() throws {
        let empty = PixelBuffer(size: PixelSize(width: 30, height: 20), filledWith: [0, 0, 0, 0])
        var frames = (0..<8).map {
            (delay: 40, picture: PixelBuffer.confetti(30, 20, colours: 9, seed: $0, holes: $0 % 3 != 0))
        }
        frames.insert((40, empty), at: 0)
        frames.insert((40, empty), at: 4)
        frames.append((40, frames.last!.picture))
        frames.append((40, empty))
        #expect(try allFrames(animation(frames, gif)).frames.map(\.picture) == frames.map(\.picture))
    }

    @Test func opaqueCanvasOf256ColoursCanBecomeTransparent() throws {
        let full = PixelBuffer.confetti(30, 20, colours: 256, seed: 1)
        let part = PixelBuffer.confetti(30, 20, colours: 5, seed: 2, holes: true)
        let frames = [(delay: 40, picture: full), (delay: 40, picture: part), (delay: 40, picture: full)]
        #expect(try allFrames(animation(frames, gif)).frames.map(\.picture) == frames.map(\.picture))
    }

    @Test func movingShapeLeavesNoTraceOnATransparentCanvas() throws {
        let frames = (0..<8).map { (delay: 50, picture: PixelBuffer.disc(at: $0)) }
        let back = try allFrames(animation(frames, gif)).frames
        for (read, written) in zip(back, frames) {
            #expect(alpha(read.picture) == alpha(written.picture))
            #expect(psnr(read.picture.bytes, written.picture.bytes) > 30)
        }
    }

    @Test func everyFrameIsCloseToItsOriginal() throws {
        let frames = (0..<6).map { step in
            var picture = PixelBuffer.waves(90, 70, channels: 4)
            for place in picture.bytes.indices {
                picture.bytes[place] = place % 4 == 3 ? 255 : picture.bytes[place] &+ UInt8(step * 3)
            }
            return (delay: 100, picture: picture)
        }
        let back = try allFrames(animation(frames, gif)).frames
        #expect(back.count == 6)
        for (read, written) in zip(back, frames) { #expect(psnr(read.picture.bytes, written.picture.bytes) > 30) }
    }

    @Test func unchangedPixelsDoNotFlicker() throws {
        var second = PixelBuffer.noise(60, 50, channels: 4)
        for place in stride(from: 3, to: second.bytes.count, by: 4) { second.bytes[place] = 255 }
        let first = second
        for y in 10..<20 { for x in 10..<20 { second.bytes[(y * 60 + x) * 4] ^= 0x55 } }
        let back = try allFrames(animation([(40, first), (40, second)], gif)).frames.map(\.picture)
        let (one, other) = (back[0].bytes, back[1].bytes)
        let differing = one.indices.filter { one[$0] != other[$0] }.map { $0 / 4 }
        #expect(!differing.isEmpty)
        #expect(differing.allSatisfy { (10..<20).contains($0 % 60) && (10..<20).contains($0 / 60) })
    }

    @Test func onlyChangedPixelsAreStored() throws {
        let first = PixelBuffer.confetti(200, 150, colours: 40, seed: 3)
        var second = first
        for channel in 0..<3 { second.bytes[(70 * 200 + 30) * 4 + channel] ^= 0xFF }
        let structure = try GIFStructure.read(MemorySource(animation([(40, first), (40, second), (40, second)], gif)))
        #expect(structure.frames[1].size == PixelSize(width: 1, height: 1))
        #expect((structure.frames[1].left, structure.frames[1].top) == (30, 70))
        #expect(structure.frames[2].size == PixelSize(width: 1, height: 1))
    }

    @Test func translucentPixelsAreComposedOverTheBackground() throws {
        let bytes: [UInt8] = [200, 0, 0, 255, 200, 0, 0, 128, 200, 0, 0, 127]
        let picture = PixelBuffer(size: PixelSize(width: 3, height: 1), channels: 4, bytes: bytes)
        var options = gif
        options.background = RGB(red: 0, green: 100, blue: 0)
        let back = try allFrames(animation([(0, picture)], options)).frames[0].picture
        #expect(back.bytes == [200, 0, 0, 255, 100, 50, 0, 255, 0, 0, 0, 0])
    }

    @Test func roundedDelaysPreserveTheDuration() throws {
        let picture = PixelBuffer.confetti(4, 4, colours: 3, seed: 1)
        let other = PixelBuffer.confetti(4, 4, colours: 3, seed: 2)
        func back(_ delays: [Int]) throws -> [Int] {
            let frames = delays.enumerated().map { (delay: $1, picture: $0 % 2 == 0 ? picture : other) }
            return try allFrames(animation(frames, gif)).frames.map(\.delay)
        }
        #expect(try back([33, 33, 33, 33, 33, 33]) == [30, 40, 30, 30, 40, 30])
        #expect(try back([0, 10, 20, 655_350, 100]) == [0, 10, 20, 655_350, 100])
        #expect(try back([1_000_000, 40]) == [655_350, 40])
    }

    @Test(arguments: [0, 1, 2, 3, 65_536]) func numberOfPlaysSurvivesARoundTrip(plays: Int) throws {
        let frames = (0..<2).map { (delay: 40, picture: PixelBuffer.confetti(4, 4, colours: 3, seed: $0)) }
        #expect(try allFrames(animation(frames, plays: plays, gif)).plays == plays)
        let webp = try animation(frames, plays: plays, EncodeOptions(format: .webp))
        #expect(try allFrames(webp).plays == min(plays, 65_535))
    }

    @Test func webPKeepsFramesDelaysAndTransparency() throws {
        let frames = (0..<6).map { (delay: 33 + $0, picture: PixelBuffer.disc(at: $0 * 2)) }
        let back = try allFrames(animation(frames, EncodeOptions(format: .webp, quality: 90))).frames
        #expect(back.map(\.delay) == frames.map(\.delay))
        for (read, written) in zip(back, frames) {
            #expect(alpha(read.picture) == alpha(written.picture))
            #expect(psnr(onWhite(read.picture), onWhite(written.picture)) > 30)
        }
    }

    private func alpha(_ picture: PixelBuffer) -> [UInt8] {
        stride(from: 3, to: picture.bytes.count, by: 4).map { picture.bytes[$0] }
    }

    private func onWhite(_ picture: PixelBuffer) -> [UInt8] {
        stride(from: 0, to: picture.bytes.count, by: 4).flatMap {
            picture.bytes[$0 + 3] == 0 ? [255, 255, 255] : Array(picture.bytes[$0..<$0 + 3])
        }
    }

    @Test func completeFramesOfATruncatedWebPAreDecodedIfAllowed() throws {
        let frames = (0..<6).map { (delay: 40, picture: PixelBuffer.disc(at: $0 * 2)) }
        let bytes = try animation(frames, EncodeOptions(format: .webp))
        let cut = Array(bytes[..<(bytes.count * 2 / 3)])
        #expect(failureCode { _ = try allFrames(cut) } == "truncated-image")
        let whole = try allFrames(bytes).frames
        let back = try allFrames(cut, DecodeOptions(allowsTruncated: true)).frames
        #expect((1..<6).contains(back.count))
        for (read, kept) in zip(back, whole) { #expect(read.picture == kept.picture) }
        #expect(
            failureCode { _ = try allFrames(Array(bytes[..<60]), DecodeOptions(allowsTruncated: true)) }
                == "truncated-image")
    }

    @Test func framesAreDecodedIntoTheSameCanvas() throws {
        let frames = (0..<40).map { (delay: 40, picture: PixelBuffer.confetti(20, 20, colours: 9, seed: $0)) }
        for format in [OutputFormat.gif, .webp] {
            let source = MemorySource(try animation(frames, EncodeOptions(format: format)))
            let reader = try #require(try animationReader(source, inspect(source), options: DecodeOptions()))
            var addresses: Set<UnsafePointer<UInt8>> = []
            while let frame = try reader.nextFrame() { addresses.insert(frame.pixels) }
            #expect(addresses.count == 1)
        }
    }

    @Test func equalFramesGiveEqualBytes() throws {
        let frames = (0..<3).map { step in
            var picture = PixelBuffer.waves(50, 40, channels: 4)
            for place in picture.bytes.indices { picture.bytes[place] |= place % 4 == 3 ? 255 : UInt8(step) }
            return (delay: 40, picture: picture)
        }
        for format in [OutputFormat.gif, .webp] {
            let options = EncodeOptions(format: format)
            #expect(try animation(frames, options) == animation(frames, options))
        }
    }

    @Test func failingSinkStopsTheWriter() throws {
        let drain = EncoderOutput(.gif, FullSink())
        let writer = try animationWriter(
            gif, size: PixelSize(width: 200, height: 200), plays: 0, limits: .standard, into: drain)
        #expect(throws: SystemFailure.self) {
            for seed in UInt64(0)..<5 {
                let picture = PixelBuffer.noise(200, 200, channels: 4, seed: seed)
                try picture.bytes.withUnsafeBufferPointer { try writer.write($0.baseAddress!, delay: 1) }
            }
            try writer.finish()
        }
    }

    @Test func tooLargeCanvasIsRejected() {
        func code(_ format: OutputFormat, _ size: PixelSize, _ limits: DecodeLimits = .standard) -> String? {
            failureCode {
                _ = try animationWriter(
                    EncodeOptions(format: format), size: size, plays: 0, limits: limits,
                    into: EncoderOutput(format, MemorySink()))
            }
        }
        #expect(code(.gif, PixelSize(width: 65_536, height: 1)) == "output-too-large")
        #expect(code(.webp, PixelSize(width: 16_384, height: 1)) == "output-too-large")
        let small = DecodeLimits(maxMemoryBytes: 1_000)
        #expect(code(.gif, PixelSize(width: 20, height: 20), small) == "out-of-memory-limit")
        #expect(code(.webp, PixelSize(width: 20, height: 20), small) == "out-of-memory-limit")
    }
}
