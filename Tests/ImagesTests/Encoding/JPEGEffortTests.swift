import CKernels
import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// The effects of effort and chroma sampling on JPEGs.
@Suite struct JPEGEffortTests {
    /// Red and blue strokes, a pixel wide, on gray. Halved chroma would lose their colours.
    static let lettering = PixelBuffer.drawn(96, 80) { x, y in
        (x / 3 + y / 5) % 4 == 0 ? (x % 2 == 0 ? [220, 20, 20] : [20, 30, 210]) : [128, 128, 128]
    }

    /// Soft colours with luma grain, like a photograph.
    static let photograph = photograph(96, 80)

    private static func photograph(_ width: Int, _ height: Int) -> PixelBuffer {
        .drawn(width, height) { x, y in
            let grain = (x * 7919 ^ y * 104_729) % 23
            return [x * 96 / width + 80 + grain, y * 80 / height + 90 + grain, 150 - x * 48 / width + grain]
        }
    }

    // MARK: Bytes

    @Test func effort0WritesAStandardBaselineJPEG() throws {
        let bytes = try encode(Self.photograph, EncodeOptions(quality: 50))
        // T.81, K.1: the tables for a quality of 50, in zigzag order.
        let table = try #require(bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDB })
        #expect(Array(bytes[table + 5..<table + 13]) == [16, 11, 12, 14, 12, 10, 16, 14])
        #expect(FrameHeader(bytes)?.code == 0xC0)
    }

    @Test(arguments: [3, 6]) func effortMakesFilesSmallerAtSimilarQuality(effort: Int) throws {
        for picture in [Self.photograph, .waves(200, 150, channels: 3)] {
            for quality in [40, 60, 82] {
                let plain = try encode(picture, EncodeOptions(quality: quality))
                let small = try encode(picture, EncodeOptions(quality: quality, effort: effort))
                #expect(small.count < plain.count)
                let kept = psnr(try decode(MemorySource(small)).bytes, picture.bytes)
                #expect(kept > psnr(try decode(MemorySource(plain)).bytes, picture.bytes) - 2.5)
            }
        }
    }

    @Test func higherEffortWritesProgressiveScansAndNeverALargerFile() throws {
        let picture = Self.photograph(320, 210)
        let sizes = try [0, 1, 3, 4, 6, 7, 9].map { effort in
            let bytes = try encode(picture, EncodeOptions(effort: effort))
            if effort < 7 { #expect(FrameHeader(bytes)?.code == (effort > 3 ? 0xC2 : 0xC0)) }
            return bytes.count
        }
        #expect(sizes == sizes.sorted(by: >))
        #expect(Set(sizes).count == 4)
        // For so few pixels, separate codes for each scan cost more than they save.
        #expect(FrameHeader(try encode(Self.photograph, EncodeOptions(effort: 9)))?.code == 0xC0)
    }

    @Test(arguments: [0, 3]) func lastRowOfAnOddHeightIsRepeatedInItsChroma(effort: Int) throws {
        func rows(_ height: Int) throws -> PixelBuffer {
            let picture = PixelBuffer.drawn(40, height) { x, y in y < 32 ? [60 + 2 * x, 90, 90] : [200, 40, 40] }
            return try decode(MemorySource(encode(picture, EncodeOptions(effort: effort))))
        }
        let (odd, even) = (try rows(33), try rows(34))
        #expect(odd.bytes == Array(even.bytes.prefix(odd.bytes.count)))
    }

    @Test(arguments: [1, 3]) func progressiveScansHaveTheSameCoefficients(channels: Int) throws {
        let picture = PixelBuffer.waves(75, 50, channels: channels)
        for effort in [0, 3] {
            let plain = try encode(picture, EncodeOptions(effort: effort))
            let inScans = try encode(picture, EncodeOptions(effort: effort, isProgressive: true))
            #expect(FrameHeader(inScans)?.code == 0xC2)
            #expect(try decode(MemorySource(plain)) == decode(MemorySource(inScans)))
        }
    }

    @Test func stepsGrowWithFrequencyAndShrinkWithQuality() {
        for sampling in [ChromaSampling.halved, .full] {
            var above = QuantizationTables(tunedFor: 1, sampling).steps
            for quality in 1...100 {
                let steps = QuantizationTables(tunedFor: quality, sampling).steps
                #expect(steps.count == 128 && !steps.contains(0))
                #expect(zip(steps, above).allSatisfy { $0 <= $1 })
                for table in [0, 64] {
                    for place in 0..<63 where place % 8 < 7 {
                        #expect(steps[table + place] <= steps[table + place + 1])
                    }
                }
                above = steps
            }
            #expect(above == [UInt8](repeating: 1, count: 128))
        }
    }

    // MARK: Chroma

    @Test(arguments: [
        // Columns: quality, effort, choice, and whether the lettering and the photograph keep full chroma.
        (82, 3, ChromaChoice.auto, true, false), (82, 0, .auto, false, false), (90, 0, .auto, true, true),
        (95, 5, .auto, true, true), (40, 9, .auto, true, false), (95, 3, .halved, false, false),
        (30, 3, .full, true, true), (30, 0, .full, true, true),
    ])
    func fullChromaIsKeptIfTheLossIsVisible(
        quality: Int, effort: Int, choice: ChromaChoice, keepsLettering: Bool, keepsPhotograph: Bool
    ) throws {
        let options = EncodeOptions(quality: quality, effort: effort, chroma: choice)
        for (picture, isKept) in [(Self.lettering, keepsLettering), (Self.photograph, keepsPhotograph)] {
            let sampling: ChromaSampling = isKept ? .full : .halved
            #expect(FrameHeader(try encode(picture, options))?.sampling == sampling)
            // Downsamples the planes of a JPEG with full chroma, first to the same size, then to a smaller height.
            let source = MemorySource(try picture.jpeg(quality: 100, chroma: .full))
            for size in [picture.size, PixelSize(width: picture.size.width, height: 60)] {
                let (bytes, _) = try downsample(source, to: .exactly(size), encode: options)
                #expect(FrameHeader(bytes)?.sampling == sampling, "\(size)")
            }
        }
    }

    /// Halving the chroma starts before the last row decides whether the chroma is halved.
    @Test(arguments: [
        // Columns: rows of lettering, its width, and whether the loss is visible in the first quarter and in the whole.
        (0..<0, 0, false, false), (0..<8, 32, true, false), (90..<121, 99, false, true), (0..<121, 99, true, true),
    ])
    func allRowsDecideAboutTheChroma(rows: Range<Int>, width: Int, isVisibleAtFirst: Bool, isVisible: Bool) throws {
        let picture = PixelBuffer.drawn(99, 121) { x, y in
            if rows.contains(y), x < width { return x % 2 == 0 ? [150, 100, 100] : [105, 105, 145] }
            let tint = (x * 7919 ^ y * 104_729) % 31
            return [110 + tint, 120, 140 - tint]
        }
        for (height, isLossVisible) in [(30, isVisibleAtFirst), (121, isVisible)] {
            let loss = ChromaLoss(pixels: picture.bytes, channels: 3, width: 99, height: height)
            #expect(loss.isVisible == isLossVisible, "\(loss.perCell)")
        }
        let full = BufferedPlanes(size: picture.size, isGray: false, sampling: .full)
        for y in 0..<121 {
            apod_rgb_to_ycc(
                Array(picture.bytes[y * 297..<y * 297 + 297]), full.row(0, y), full.row(1, y), full.row(2, y), 99)
        }
        let halved = full.withHalvedChroma()
        for y in 0..<61 { halved.halveChroma(of: full, row: y) }
        let options = EncodeOptions(quality: 80, effort: 3)
        let expected = MemorySink()
        let planes = isVisible ? full : halved
        try planes.encode(
            options.jpegCoding(planes.sampling, picture.size), nil, PictureMetadata(),
            into: EncoderOutput(.jpeg, expected))
        #expect(try encode(picture, options) == expected.bytes)
    }

    @Test func halvedChromaOfTheSourceIsNotUpsampled() throws {
        let source = MemorySource(try Self.lettering.jpeg(quality: 100))
        let options = EncodeOptions(quality: 95, effort: 3)
        let (same, _) = try downsample(source, to: .exactly(Self.lettering.size), encode: options)
        #expect(FrameHeader(same)?.sampling == .halved)
        let (smaller, _) = try downsample(source, to: .exactly(PixelSize(width: 48, height: 40)), encode: options)
        #expect(FrameHeader(smaller)?.sampling == .full)
    }

    @Test func sharpColoursSurviveAtQuality100() throws {
        for effort in [0, 3] {
            let bytes = try encode(Self.lettering, EncodeOptions(quality: 100, effort: effort))
            #expect(psnr(try decode(MemorySource(bytes)).bytes, Self.lettering.bytes) > 48)
        }
    }

    @Test func planesAndPixelsGiveTheSamePicture() throws {
        let picture = PixelBuffer.waves(97, 61, channels: 3)
        let source = MemorySource(try picture.jpeg(quality: 100, chroma: .full))
        for choice in ChromaChoice.allCases {
            let options = EncodeOptions(quality: 85, effort: 3, chroma: choice)
            let (direct, _) = try downsample(source, to: .exactly(picture.size), encode: options)
            let pixels = try encode(try decode(source), options)
            #expect(psnr(try decode(MemorySource(direct)).bytes, try decode(MemorySource(pixels)).bytes) > 42)
        }
    }

    @Test func onlySmallPicturesAreHeldInMemory() {
        let (small, large) = (PixelSize(width: 2048, height: 2048), PixelSize(width: 2049, height: 2048))
        #expect(EncodeOptions(effort: 3).chromaSampling(of: small) == nil)
        #expect(EncodeOptions(effort: 3).chromaSampling(of: large) == .halved)
        #expect(EncodeOptions(effort: 3).bytesPerPixel(of: small) == 13)
        #expect(EncodeOptions(effort: 3, chroma: .halved).bytesPerPixel(of: small) == 9)
        #expect(EncodeOptions(effort: 3, chroma: .halved, isProgressive: true).bytesPerPixel(of: small) == 6)
        #expect(EncodeOptions(effort: 3).bytesPerPixel(of: large) == 0)
        #expect(EncodeOptions(effort: 0).bytesPerPixel(of: small) == 0)
        #expect(EncodeOptions(effort: 7).bytesPerPixel(of: large) == 25)
    }

    @Test func memoryLimitReducesTheEffort() throws {
        let picture = PixelBuffer.waves(500, 500, channels: 3)
        let source = MemorySource(try encode(picture, EncodeOptions(format: .png)))
        let options = DecodeOptions(limits: DecodeLimits(maxMemoryBytes: 2_000_000), memory: MemoryBudget())
        func made(_ effort: Int, _ options: DecodeOptions) throws -> [UInt8] {
            let sink = MemorySink()
            let output = Output(Geometry(), encoding: EncodeOptions(effort: effort), sink: sink)
            try downsample(source, inspect(source), to: [output], options: options) { _, _ in }
            return sink.bytes
        }
        #expect(try made(3, options) == made(0, DecodeOptions()))
        #expect(try made(3, options) != made(3, DecodeOptions()))
    }

    // MARK: Kernels

    @Test(arguments: [1, 2, 7, 64, 101]) func halvedRowsAreMeansOfFourSamples(count: Int) {
        let rows = PixelBuffer.noise(count, 2, channels: 1).bytes
        var halved = [UInt8](repeating: 0, count: (count + 1) / 2)
        rows.withUnsafeBufferPointer { rows in
            apod_halve(rows.baseAddress!, rows.baseAddress! + count, &halved, count)
        }
        for x in halved.indices {
            let columns = [2 * x, min(2 * x + 1, count - 1)]
            let sum = columns.reduce(0) { $0 + Int(rows[$1]) + Int(rows[count + $1]) }
            #expect(Int(halved[x]) == (sum + 2) / 4)
        }
    }

    @Test(arguments: [1, 2, 9, 100]) func chromaLossIsTheSquaredDistanceFromTheMeans(count: Int) {
        let (blue, red) = (PixelBuffer.noise(count, 2, channels: 1), PixelBuffer.noise(count, 2, channels: 1, seed: 2))
        var (sum, squares): (UInt64, UInt64) = (0, 0)
        apod_chroma_loss(
            Array(blue.bytes[..<count]), Array(blue.bytes[count...]), Array(red.bytes[..<count]),
            Array(red.bytes[count...]), count, &sum, &squares)
        var (expected, expectedSquares) = (0.0, 0.0)
        for x in stride(from: 0, to: count - 1, by: 2) {
            var loss = 0.0
            for plane in [blue, red] {
                let cell = [x, x + 1].flatMap { [plane.sample($0, 0, 0), plane.sample($0, 1, 0)] }.map(Double.init)
                let mean = cell.reduce(0, +) / 4
                loss += 4 * cell.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            }
            expected += loss
            expectedSquares += loss * loss
        }
        #expect(Double(sum) == expected && Double(squares) == expectedSquares)
    }

    @Test func coloursSurviveConversionToYCbCrAndBack() {
        let rgb = PixelBuffer.noise(500, 1, channels: 3).bytes + [0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 255]
        let count = rgb.count / 3
        var (luma, blue, red) = ([UInt8](repeating: 0, count: count), [UInt8](), [UInt8]())
        (blue, red) = (luma, luma)
        apod_rgb_to_ycc(rgb, &luma, &blue, &red, count)
        var back = [UInt8](repeating: 0, count: rgb.count)
        apod_ycc_to_rgb(luma, blue, red, &back, count)
        #expect(zip(rgb, back).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
        #expect(luma.suffix(4) == [0, 255, 76, 29] && blue.suffix(4) == [128, 128, 85, 255])
    }
}
