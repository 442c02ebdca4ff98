import Formats
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct DownsampleTests {
    @Test func outputHasExactlyTheRequestedSize() throws {
        var random = SeededRandom(seed: 11)
        for round in 0..<40 {
            let channels = [1, 3, 4, 2][round % 4]
            let picture = PixelBuffer.noise(
                Int.random(in: 1...90, using: &random), Int.random(in: 1...90, using: &random), channels: channels)
            let target = PixelSize(
                width: Int.random(in: 1...70, using: &random), height: Int.random(in: 1...70, using: &random))
            let input = try encode(picture, EncodeOptions(format: round % 2 == 0 ? .jpeg : .png))
            for format in OutputFormat.readable {
                let output = try downsampled(input, to: target, EncodeOptions(format: format))
                #expect(output.size == target)
            }
        }
    }

    /// Outputs in formats that are encoded as a whole are encoded concurrently if threads are free.
    @Test func bytesAndOrderDoNotDependOnTheNumberOfThreads() throws {
        let input = try PixelBuffer.waves(900, 600, channels: 3).jpeg()
        let source = MemorySource(input)
        let info = try inspect(source, limits: .standard)
        func outputs(threads: Int) throws -> (order: [Int], files: [[UInt8]]) {
            let sinks = (0..<5).map { _ in MemorySink() }
            let formats: [OutputFormat] = [.webp, .jpeg, .webp, .png, .webp]
            let outputs = zip(formats, sinks).enumerated().map { index, output in
                Output(
                    .exactly(PixelSize(width: 600 - 90 * index, height: 400 - 60 * index)),
                    encoding: EncodeOptions(format: output.0, effort: 3), cornerRadius: index == 4 ? 20 : 0,
                    sink: output.1)
            }
            var order: [Int] = []
            let options = DecodeOptions(spareThreads: ThreadBudget(threads))
            try downsample(source, info, to: outputs, options: options) { index, result in
                #expect(result.bytes == sinks[index].bytes.count)
                order.append(index)
            }
            return (order, sinks.map(\.bytes))
        }
        let single = try outputs(threads: 0)
        #expect(single.order == [4, 3, 2, 1, 0])
        for threads in [1, 2, 16] {
            let several = try outputs(threads: threads)
            #expect(several.order == single.order)
            #expect(several.files == single.files)
        }
    }

    /// The frames of the photograph are encoded with loss. The frames of the drawing are also encoded without loss.
    @Test(arguments: [true, false]) func bytesOfAnimationsDoNotDependOnTheNumberOfThreads(isPhoto: Bool) throws {
        func frame(_ number: Int) -> PixelBuffer {
            if isPhoto { return .noise(260, 200, channels: 3, seed: UInt64(number)) }
            return .drawn(260, 200) { x, y in (x / 20 + y / 20 + number) % 3 == 0 ? [200, 30, 40] : [20, 90, 180] }
        }
        let frames = (0..<6).map(frame)
        let source = MemorySource(try encodeAnimation(frames, delay: 50, EncodeOptions(format: .gif)))
        let info = try inspect(source, limits: .standard)
        func files(threads: Int, into sinks: [any ByteSink]) throws {
            let outputs = zip([OutputFormat.gif, .webp], sinks).map { format, sink in
                Output(
                    .exactly(PixelSize(width: 195, height: 150)), encoding: EncodeOptions(format: format), sink: sink)
            }
            let options = DecodeOptions(spareThreads: ThreadBudget(threads))
            defer { for _ in 0..<threads { #expect(options.spareThreads.take()) } }
            try downsample(source, info, to: outputs, options: options) { _, _ in }
        }
        func bytes(threads: Int) throws -> [[UInt8]] {
            let sinks = [MemorySink(), MemorySink()]
            try files(threads: threads, into: sinks)
            return sinks.map(\.bytes)
        }
        let single = try bytes(threads: 0)
        for threads in [1, 2, 16] {
            #expect(try bytes(threads: threads) == single)
            #expect(throws: SystemFailure(errno: 28, "write")) {
                try files(threads: threads, into: [FullSink(), MemorySink()])
            }
        }
    }

    @Test(arguments: [false, true]) func pixelsOfAWebPDoNotDependOnTheNumberOfThreads(isTruncated: Bool) throws {
        var input = try encode(PixelBuffer.noise(700, 500, channels: 3), EncodeOptions(format: .webp))
        if isTruncated { input.removeLast(input.count / 3) }
        func pixels(threads: Int) throws -> [UInt8] {
            let options = DecodeOptions(allowsTruncated: isTruncated, spareThreads: ThreadBudget(threads))
            defer { for _ in 0..<threads { #expect(options.spareThreads.take()) } }
            let reader = try WebPReader(
                MemorySource(input), size: PixelSize(width: 700, height: 500), options: options)
            let pixels = try reader.pixels(orientation: .upright, options: options).bytes
            #expect(reader.isTruncated == isTruncated)
            return pixels
        }
        #expect(try pixels(threads: 1) == pixels(threads: 0))
    }

    @Test(arguments: [0, 1, 2, 16]) func failedOutputLeavesSmallerOutputsComplete(_ threads: Int) throws {
        let source = MemorySource(try PixelBuffer.waves(900, 600, channels: 3).jpeg())
        let info = try inspect(source, limits: .standard)
        let sinks = (0..<5).map { _ in MemorySink() }
        let outputs = sinks.enumerated().map { index, sink in
            Output(
                .exactly(PixelSize(width: 600 - 90 * index, height: 400 - 60 * index)),
                encoding: EncodeOptions(format: index == 0 ? .jpeg : .webp, effort: 3),
                sink: index == 1 ? FullSink() : sink)
        }
        let options = DecodeOptions(spareThreads: ThreadBudget(threads))
        var complete: [Int] = []
        #expect(throws: SystemFailure(errno: 28, "write")) {
            try downsample(source, info, to: outputs, options: options) { index, result in
                #expect(result.bytes == sinks[index].bytes.count)
                complete.append(index)
            }
        }
        #expect(complete == [4, 3, 2])
        for _ in 0..<threads { #expect(options.spareThreads.take()) }
    }

    @Test func flatColourIsPreservedExactly() throws {
        for (size, target) in [((100, 80), (33, 27)), ((61, 7), (61, 3)), ((9, 9), (40, 40)), ((900, 2), (3, 1))] {
            let picture = PixelBuffer(
                size: PixelSize(width: size.0, height: size.1), filledWith: [201, 3, 255])
            let input = try encode(picture, EncodeOptions(format: .png))
            let output = try downsampled(
                input, to: PixelSize(width: target.0, height: target.1), EncodeOptions(format: .png))
            #expect(output == PixelBuffer(size: output.size, filledWith: [201, 3, 255]))
        }
    }

    @Test func gradientsStayMonotone() throws {
        let ramp = PixelBuffer(
            size: PixelSize(width: 256, height: 4), channels: 1,
            bytes: (0..<4).flatMap { _ in (0..<256).map { UInt8($0) } })
        let input = try encode(ramp, EncodeOptions(format: .png))
        for width in [255, 200, 100, 33, 10, 512] {
            let output = try downsampled(input, to: PixelSize(width: width, height: 2), EncodeOptions(format: .png))
            let row = output.bytes[0..<width]
            #expect(zip(row, row.dropFirst()).allSatisfy { $0 <= $1 })
        }
    }

    @Test(arguments: [1, 2, 3, 4]) func pngMatchesTheReferenceWithinRounding(channels: Int) throws {
        var picture = PixelBuffer.noise(90, 70, channels: channels, seed: 5)
        // Compares opaque pixels only; see `transparentColoursDoNotBleed`.
        if picture.hasAlpha {
            for i in stride(from: channels - 1, to: picture.bytes.count, by: channels) { picture.bytes[i] = 255 }
        }
        let input = try encode(picture, EncodeOptions(format: .png))
        for (width, height) in [(40, 30), (89, 13), (7, 5), (120, 100)] {
            let target = PixelSize(width: width, height: height)
            let output = try downsampled(input, to: target, EncodeOptions(format: .png))
            let reference = referenceLanczos(picture, to: target)
            #expect(output.channels == channels)
            #expect(psnr(output.bytes, reference.bytes) > 50)
        }
    }

    @Test func largeReductionStaysCloseToTheReference() throws {
        let picture = PixelBuffer.waves(1200, 30, channels: 1)
        let target = PixelSize(width: 20, height: 3)
        let png = EncodeOptions(format: .png)
        let output = try downsampled(try encode(picture, png), to: target, png)
        #expect(psnr(output.bytes, referenceLanczos(picture, to: target).bytes) > 40)
    }

    @Test(arguments: [[1, 1], [2, 1], [1, 2], [2, 2]])
    func chromaOfEverySamplingStaysAligned(chroma: [Int]) throws {
        for (width, height) in [(160, 120), (161, 119)] {
            let picture = PixelBuffer.waves(width, height, channels: 3)
            let input = try picture.jpeg(quality: 100, chroma: ChromaSampling(across: chroma[0], down: chroma[1]))
            for (w, h) in [(79, 59), (40, 30), (21, 15), (width, height), (200, 150)] {
                let target = PixelSize(width: w, height: h)
                let output = try downsampled(input, to: target, EncodeOptions(quality: 100))
                let reference = referenceLanczos(picture, to: target)
                let (kept, best) = (psnr(output.bytes, reference.bytes), try halvedChroma(reference))
                // Above 45 dB, the loss in the input dominates.
                #expect(kept > min(best - 0.7, 45), "\(target) of \(width)x\(height)")
            }
        }
    }

    @Test func transparentColoursDoNotBleed() throws {
        // White and opaque in the left half, black and transparent in the right half.
        var picture = PixelBuffer(size: PixelSize(width: 64, height: 64), filledWith: [0, 0, 0, 0])
        for y in 0..<64 {
            for x in 0..<30 { for c in 0..<4 { picture.bytes[(y * 64 + x) * 4 + c] = 255 } }
        }
        let output = try downsampled(
            try encode(picture, EncodeOptions(format: .png)), to: PixelSize(width: 13, height: 13),
            EncodeOptions(format: .png))
        for i in stride(from: 0, to: output.bytes.count, by: 4) where output.bytes[i + 3] > 8 {
            #expect(output.bytes[i] >= 250)
        }
    }

    @Test func transparentPixelsBecomeTheBackgroundInAJPEG() throws {
        let picture = PixelBuffer(size: PixelSize(width: 40, height: 40), filledWith: [255, 0, 0, 0])
        let input = try encode(picture, EncodeOptions(format: .png))
        for (colour, expected) in [(RGB.white, UInt8(255)), (RGB.black, 0)] {
            let output = try downsampled(
                input, to: PixelSize(width: 20, height: 20), EncodeOptions(format: .jpeg, background: colour))
            #expect(output.bytes.allSatisfy { abs(Int($0) - Int(expected)) <= 1 })
        }
    }

    @Test func grayKeepsASingleChannel() throws {
        let picture = PixelBuffer.waves(50, 40, channels: 1)
        for format in [OutputFormat.jpeg, .png] {
            let target = PixelSize(width: 20, height: 16)
            let output = try downsampled(try picture.jpeg(), to: target, EncodeOptions(format: format))
            #expect(output.channels == 1)
        }
    }

    @Test func equalInputAndOptionsGiveEqualBytes() throws {
        let input = try PixelBuffer.noise(120, 90, channels: 3).jpeg()
        for format in OutputFormat.readable {
            let runs = try (0..<2).map { _ in
                try downsample(
                    MemorySource(input), to: .exactly(PixelSize(width: 31, height: 24)),
                    encode: EncodeOptions(format: format))
            }
            let (first, second) = (runs[0], runs[1])
            #expect(first.bytes == second.bytes)
            #expect(first.result.bytes == first.bytes.count)
        }
    }

    @Test func interruptedRunThrowsCancelled() throws {
        let input = try PixelBuffer.waves(50, 50, channels: 3).jpeg()
        let interruption = Interruption()
        interruption.cancel(.outputClosed)
        #expect(throws: Cancelled.self) {
            _ = try downsample(
                MemorySource(input), to: Geometry(), encode: EncodeOptions(),
                options: DecodeOptions(interruption: interruption))
        }
    }

    @Test func sinkErrorIsThrownUnchanged() throws {
        let input = try PixelBuffer.waves(50, 50, channels: 3).jpeg()
        for format in OutputFormat.readable {
            #expect(throws: SystemFailure(errno: 28, "write")) {
                let output = Output(Geometry(), encoding: EncodeOptions(format: format), sink: FullSink())
                let source = MemorySource(input)
                try downsample(source, inspect(source), to: [output]) { _, _ in }
            }
        }
    }
}
