import Formats
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct FramePaceTests {
    /// The indices of the shown frames.
    private func shown(_ delays: [Int], limit: Double?) -> [Int] {
        var pace = FramePace(limit: limit)
        return delays.indices.filter { pace.shows(frameOf: delays[$0]) }
    }

    @Test func withoutALimitAllFramesAreShown() {
        #expect(shown([0, 0, 10, .max, .max, -5], limit: nil) == [0, 1, 2, 3, 4, 5])
    }

    @Test func eachTimeSlotShowsAtMostASingleFrame() {
        #expect(shown(Array(repeating: 50, count: 8), limit: 10) == [0, 2, 4, 6])
        #expect(shown(Array(repeating: 20, count: 10), limit: 10).count == 2)
        // 500, 510 and 520 ms are in the same quarter of a second.
        #expect(shown([500, 10, 10, 500, 10], limit: 4) == [0, 1, 4])
        #expect(shown([0, 0, 0, 0], limit: 100) == [0])
    }

    @Test func allFramesAtTheMaximumRateAreShown() {
        // The delays are whole milliseconds, on average a thirtieth of a second.
        let delays = (0..<90).map { $0 % 3 == 0 ? 34 : 33 }
        #expect(shown(delays, limit: 30).count == 90)
        #expect(shown(Array(repeating: 100, count: 20), limit: 10).count == 20)
    }

    @Test(arguments: [OutputFormat.gif, .webp]) func droppedFramesExtendThePreviousFrame(format: OutputFormat) throws {
        let frames = (0..<10).map { step in
            (
                delay: 50,
                picture: PixelBuffer(
                    size: PixelSize(width: 20, height: 20), filledWith: [UInt8(step * 20), 60, 90, 255])
            )
        }
        let source = MemorySource(try animation(frames, EncodeOptions(format: .gif)))
        for byteLimit in [nil, 100_000] {
            let sink = MemorySink()
            let output = Output(
                Geometry(), encoding: EncodeOptions(format: format, quality: 95), framesPerSecond: 10,
                byteLimit: byteLimit, sink: sink)
            var counts: FrameCounts?
            try downsample(source, inspect(source), to: [output]) { counts = $1.frames }
            #expect(counts == FrameCounts(source: 10, output: 5))
            let made = MemorySource(sink.bytes)
            let reader = try #require(try animationReader(made, inspect(made), options: DecodeOptions()))
            var reds: [UInt8] = []
            while let frame = try reader.nextFrame() {
                #expect(frame.delay == 100)
                reds.append(frame.pixels[0])
            }
            #expect(reds.count == 5)
            for (step, red) in reds.enumerated() { #expect(abs(Int(red) - step * 40) <= 6) }
        }
    }

    /// An animation that is not resized has few colours, so its WebP must not be larger than the GIF. Skips GIFs if
    /// the overhead of a WebP container, 44 bytes and 32 per frame, would exceed a sixth of their bytes.
    @Test(.enabled(if: Corpus.isPresent)) func animatedWebPIsNotLargerThanItsGIF() throws {
        var count = 0
        for path in try Corpus.pictures(in: "gif") + Corpus.pictures(in: "gif/gif-test-suite") {
            let source = MemorySource(try TestFile.bytes(path))
            guard let header = try? inspect(source), header.format == .gif else { continue }
            let sink = MemorySink()
            let output = Output(Geometry(), encoding: EncodeOptions(format: .webp, effort: 3), sink: sink)
            var frames: FrameCounts?
            guard (try? downsample(source, header, to: [output], done: { frames = $1.frames })) != nil, let frames,
                (44 + 32 * frames.source) * 6 <= source.count
            else { continue }
            count += 1
            #expect(sink.bytes.count <= source.count, "\(path): \(sink.bytes.count) for \(source.count)")
        }
        #expect(count >= 20)
    }
}
