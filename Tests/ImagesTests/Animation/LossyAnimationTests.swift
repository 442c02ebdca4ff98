import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// Animations whose quality permits some loss.
@Suite struct LossyAnimationTests {
    private typealias Frames = [(delay: Int, picture: PixelBuffer)]

    private func options(_ format: OutputFormat = .gif, quality: Int = 82, effort: Int = 0) -> EncodeOptions {
        var options = EncodeOptions(format: format, quality: quality, effort: effort)
        options.toleratesLoss = true
        return options
    }

    private func frames(
        _ count: Int, width: Int = 80, height: Int = 50, _ pixel: (_ step: Int, _ x: Int, _ y: Int) -> [UInt8]
    ) -> Frames {
        (0..<count).map { step in
            var bytes: [UInt8] = []
            for y in 0..<height { for x in 0..<width { bytes += pixel(step, x, y) } }
            return (40, PixelBuffer(size: PixelSize(width: width, height: height), channels: 4, bytes: bytes))
        }
    }

    private func camera(_ count: Int, noise: Int) -> Frames {
        let view = CameraView(width: 80, height: 50, count: count, noise: noise, noisyShare: 1)
        return view.frames.map {
            (40, PixelBuffer(size: PixelSize(width: view.width, height: view.height), channels: 4, bytes: $0))
        }
    }

    @Test func lowerQualityMakesSmallerAnimations() throws {
        let frames = camera(6, noise: 6)
        let sizes = try [95, 82, 50].map { try animation(frames, options(quality: $0)).count }
        #expect(sizes[0] > sizes[1] && sizes[1] > sizes[2])
    }

    @Test func highestQualityIsLossless() throws {
        let frames = frames(3) { step, x, y in [UInt8(x / 10), UInt8(y / 10 + step), 9, 255] }
        #expect(try allFrames(animation(frames, options(quality: 100))).frames.map(\.picture) == frames.map(\.picture))
    }

    @Test func fewColoursAreKeptExactly() throws {
        let frames = frames(4) { step, x, y in
            x / 8 == step ? [250, 10, 10, 255] : (x + y) % 9 < 4 ? [10, 10, 250, 255] : [240, 240, 240, 255]
        }
        #expect(try allFrames(animation(frames, options())).frames.map(\.picture) == frames.map(\.picture))
    }

    /// Each frame differs from the previous by less than the threshold.
    @Test func errorsOfSlowChangesDoNotAddUp() throws {
        let frames = frames(60) { step, x, y in [UInt8(40 + x + step), UInt8(60 + y + step), UInt8(90 + step), 255] }
        let back = try allFrames(animation(frames, options())).frames
        #expect(back.count == 60)
        for (read, written) in zip(back, frames) { #expect(psnr(read.picture.bytes, written.picture.bytes) > 30) }
    }

    @Test func aSteadyAreaKeepsItsDitherPattern() throws {
        let frames = frames(4) { step, x, y in
            y >= 40 ? [UInt8(step * 60), UInt8(x * 3), 20, 255] : [UInt8(x * 3), UInt8(x * 2 + y), UInt8(y * 4), 255]
        }
        let back = try allFrames(animation(frames, options())).frames.map(\.picture)
        for picture in back.dropFirst() { #expect(picture.bytes[..<(40 * 80 * 4)] == back[0].bytes[..<(40 * 80 * 4)]) }
    }

    @Test func movingShapeOnATransparentCanvasLeavesNoTrace() throws {
        let frames = frames(8) { step, x, y in
            let isInside = (x - 15 - step * 6) * (x - 15 - step * 6) + (y - 25) * (y - 25) < 150
            return isInside ? [UInt8(100 + x), UInt8(80 + y), 60, 255] : [0, 0, 0, 0]
        }
        let back = try allFrames(animation(frames, options())).frames.map(\.picture)
        for (read, written) in zip(back, frames.map(\.picture)) {
            let alphas = stride(from: 3, to: read.bytes.count, by: 4)
            #expect(alphas.allSatisfy { read.bytes[$0] == written.bytes[$0] })
        }
    }

    @Test func aFrameOfOtherColoursGetsItsOwnPalette() throws {
        let dark = frames(1, width: 200, height: 160) { _, x, y in [UInt8(x % 40), UInt8(y % 40), 20, 255] }
        // More pixels than the writer collects before it makes the shared palette.
        let many = Array(repeating: dark[0], count: 70)
        let bright = frames(1, width: 200, height: 160) { _, x, y in [UInt8(55 + x), UInt8(250 - y), 200, 255] }
        let back = try allFrames(animation(many + bright, options())).frames
        #expect(psnr(try #require(back.last).picture.bytes, bright[0].picture.bytes) > 30)
    }

    private func downsample(_ source: [UInt8], to output: Output) throws {
        let source = MemorySource(source)
        try Images.downsample(source, inspect(source), to: [output]) { _, _ in }
    }

    @Test func downsampledNoisyAnimationIsSmallerThanItsSource() throws {
        let source = try animation(camera(20, noise: 3), EncodeOptions(format: .gif))
        for format in [OutputFormat.gif, .webp] {
            let sink = MemorySink()
            try downsample(source, to: Output(Geometry(width: 40), encoding: EncodeOptions(format: format), sink: sink))
            #expect(sink.bytes.count < source.count / 3)
            #expect(try allFrames(sink.bytes).frames.count > 1)
        }
    }

    @Test func gifThatIsNotResizedKeepsItsColours() throws {
        let frames = frames(3) { step, x, y in [UInt8(100 + (x + y + step) % 6), 100, 100, 255] }
        let source = try animation(frames, EncodeOptions(format: .gif))
        let sink = MemorySink()
        try downsample(source, to: Output(Geometry(), encoding: EncodeOptions(format: .gif), sink: sink))
        #expect(try allFrames(sink.bytes).frames.map(\.picture) == frames.map(\.picture))
    }

    /// A blank frame is smaller with lossless compression, noise with lossy compression.
    @Test func aBlankFirstFrameDoesNotMakeAWebPLossless() throws {
        let noisy = camera(8, noise: 35)
        let blank = frames(1) { _, _, _ in [0, 0, 0, 255] }
        let webp = EncodeOptions(format: .webp, quality: 50)
        #expect(try animation(blank + noisy, webp).count < animation(noisy, webp).count * 3 / 2)
    }
}
