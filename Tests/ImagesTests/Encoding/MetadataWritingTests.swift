import CLCMS
import Formats
import Libc
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct MetadataWritingTests {
    private static let exif = ExifBlock.rights(copyright: "© 2026 Jürg", artist: "Zoë")!.bytes
    private static let xmp = Array("<?xpacket begin=''?><d dc:rights=\"free\"/><?xpacket end='w'?>".utf8)

    /// A profile created by Little CMS, with at least `extra` additional bytes.
    private static func profile(isGray: Bool, extra: Int = 0) -> [UInt8] {
        let curve = cmsBuildGamma(nil, 1.8)
        defer { cmsFreeToneCurve(curve) }
        let made: cmsHPROFILE?
        if isGray {
            made = cmsCreateGrayProfile(cmsD50_xyY(), curve)
        } else {
            var white = cmsCIExyY(x: 0.3127, y: 0.329, Y: 1)
            var primaries = cmsCIExyYTRIPLE(
                Red: cmsCIExyY(x: 0.68, y: 0.32, Y: 1), Green: cmsCIExyY(x: 0.265, y: 0.69, Y: 1),
                Blue: cmsCIExyY(x: 0.15, y: 0.06, Y: 1))
            made = cmsCreateRGBProfile(&white, &primaries, [curve, curve, curve])
        }
        defer { cmsCloseProfile(made) }
        if extra > 0 {
            var filler = [UInt8](repeating: 0, count: extra)
            _ = cmsWriteRawTag(made, cmsTagSignature(rawValue: 0x7878_7878), &filler, UInt32(extra))
        }
        var count: UInt32 = 0
        cmsSaveProfileToMem(made, nil, &count)
        var bytes = [UInt8](repeating: 0, count: Int(count))
        cmsSaveProfileToMem(made, &bytes, &count)
        return bytes
    }

    private func written(
        _ picture: PixelBuffer, _ format: OutputFormat, _ metadata: PictureMetadata, progressive: Bool = false
    ) throws -> [UInt8] {
        try encode(picture, EncodeOptions(format: format, quality: 90, isProgressive: progressive, metadata: metadata))
    }

    private func profile(of bytes: [UInt8], _ format: OutputFormat) throws -> [UInt8]? {
        let source = MemorySource(bytes)
        return try rowReader(source, inspect(source), keepsProfile: true, options: DecodeOptions()).profile
    }

    @Test(arguments: [OutputFormat.jpeg, .png, .webp], [false, true])
    func metadataSurvivesARoundTrip(format: OutputFormat, progressive: Bool) throws {
        let metadata = PictureMetadata(
            profile: Self.profile(isGray: false), exif: Self.exif, xmp: Self.xmp)
        let picture = PixelBuffer.waves(61, 33, channels: 3)
        let bytes = try written(picture, format, metadata, progressive: progressive)
        let back = try EmbeddedMetadata.read(MemorySource(bytes))
        #expect(back.exif == Self.exif && back.xmp == Self.xmp)
        #expect(back.copyright == "© 2026 Jürg" && back.artist == "Zoë")
        #expect(try profile(of: bytes, format) == metadata.profile)
        _ = try ImageInspection.inspect(MemorySource(bytes))
        // Metadata does not change the pixels.
        let plain = try decodedWithoutProfile(written(picture, format, PictureMetadata()))
        let same = try decodedWithoutProfile(
            written(picture, format, PictureMetadata(exif: Self.exif, xmp: Self.xmp), progressive: progressive))
        #expect(same == plain)
        #expect(try written(picture, format, metadata, progressive: progressive) == bytes)
    }

    private func decodedWithoutProfile(_ bytes: [UInt8]) throws -> PixelBuffer { try decode(MemorySource(bytes)) }

    @Test(arguments: [OutputFormat.jpeg, .png, .webp]) func emptyMetadataWritesNothing(format: OutputFormat) throws {
        let picture = PixelBuffer.waves(20, 20, channels: 3)
        let bytes = try written(picture, format, PictureMetadata())
        #expect(try EmbeddedMetadata.read(MemorySource(bytes)) == EmbeddedMetadata())
        if format == .webp { #expect(bytes[12..<16].elementsEqual("VP8 ".utf8)) }
    }

    @Test func profileIsWrittenOnlyForMatchingSamples() throws {
        let gray = Self.profile(isGray: true)
        let colour = Self.profile(isGray: false)
        for format in [OutputFormat.jpeg, .png] {
            for (channels, fitting, other) in [(1, gray, colour), (3, colour, gray)] {
                let picture = PixelBuffer.waves(20, 20, channels: channels)
                #expect(try profile(of: written(picture, format, PictureMetadata(profile: fitting)), format) == fitting)
                #expect(try profile(of: written(picture, format, PictureMetadata(profile: other)), format) == nil)
                let junk = PictureMetadata(profile: [UInt8](repeating: 3, count: 500))
                #expect(try profile(of: written(picture, format, junk), format) == nil)
            }
        }
        // WebP has no gray.
        let picture = PixelBuffer.waves(20, 20, channels: 1)
        #expect(try profile(of: written(picture, .webp, PictureMetadata(profile: gray)), .webp) == nil)
        #expect(try profile(of: written(picture, .webp, PictureMetadata(profile: colour)), .webp) == colour)
    }

    @Test func longProfileSurvivesARoundTrip() throws {
        let long = Self.profile(isGray: false, extra: 200_000)
        #expect(long.count > 200_000)
        for format in [OutputFormat.jpeg, .png, .webp] {
            let bytes = try written(.waves(9, 9, channels: 3), format, PictureMetadata(profile: long))
            #expect(try profile(of: bytes, format) == long, "\(format)")
        }
    }

    @Test func metadataTooLargeForAJPEGSegmentIsOmitted() throws {
        let picture = PixelBuffer.waves(9, 9, channels: 3)
        func exif(_ count: Int) -> [UInt8] { Self.exif + [UInt8](repeating: 0, count: count - Self.exif.count) }
        func xmp(_ count: Int) -> [UInt8] { Self.xmp + [UInt8](repeating: 0x20, count: count - Self.xmp.count) }
        func back(_ exif: [UInt8], _ xmp: [UInt8], _ format: OutputFormat) throws -> EmbeddedMetadata {
            try EmbeddedMetadata.read(MemorySource(written(picture, format, PictureMetadata(exif: exif, xmp: xmp))))
        }
        let fits = try back(exif(65_527), xmp(65_504), .jpeg)
        #expect(fits.exif?.count == 65_527 && fits.xmp?.count == 65_504)
        let tooLong = try back(exif(65_528), xmp(65_505), .jpeg)
        #expect(tooLong.exif == nil && tooLong.xmp == nil)
        for format in [OutputFormat.png, .webp] {
            let long = try back(exif(65_528), xmp(65_505), format)
            #expect(long.exif?.count == 65_528 && long.xmp?.count == 65_505)
        }
    }

    @Test func everyPNGChunkIsWrittenOnce() throws {
        let metadata = PictureMetadata(profile: Self.profile(isGray: false), exif: Self.exif, xmp: Self.xmp)
        let bytes = try written(.waves(30, 20, channels: 3), .png, metadata)
        var names: [String] = []
        var place = 8
        while place + 8 <= bytes.count {
            names.append(String(decoding: bytes[place + 4..<place + 8], as: UTF8.self))
            place += 12 + bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        #expect(names == ["IHDR", "iCCP", "eXIf", "iTXt", "IDAT", "IEND"])
    }

    @Test func invalidMetadataNeverCausesAFailure() throws {
        var random = SeededRandom(name: "odd metadata")
        let bad: [[UInt8]] = [[], [0], [1, 2, 3], random.bytes(200), [0x3C, 0, 0x3E], random.bytes(70_001)]
        for bytes in bad {
            var broken = Self.profile(isGray: false)
            broken.removeLast(random.below(broken.count - 128))
            for format in [OutputFormat.jpeg, .png, .webp] {
                let metadata = PictureMetadata(profile: broken, exif: bytes, xmp: bytes)
                let output = try written(.waves(12, 7, channels: 4), format, metadata)
                #expect(try decode(MemorySource(output)).size == PixelSize(width: 12, height: 7))
            }
        }
    }

    @Test(arguments: [1, 3]) func progressiveAndBaselineJPEGHaveEqualPixels(channels: Int) throws {
        let picture = PixelBuffer.waves(75, 50, channels: channels)
        let baseline = try written(picture, .jpeg, PictureMetadata())
        let progressive = try written(picture, .jpeg, PictureMetadata(), progressive: true)
        #expect(FrameHeader(progressive)?.code == 0xC2 && FrameHeader(baseline)?.code == 0xC0)
        #expect(try decode(MemorySource(baseline)) == decode(MemorySource(progressive)))
    }

    @Test(arguments: [true, false]) func planesCanBeWrittenProgressively(isGray: Bool) throws {
        let size = PixelSize(width: 37, height: 21)
        func planes(progressive: Bool) throws -> [UInt8] {
            let sink = MemorySink()
            let writer = try JPEGPlaneWriter(
                size: size, isGray: isGray,
                coding: EncodeOptions(quality: 90, isProgressive: progressive).jpegCoding(.halved, size),
                metadata: PictureMetadata(exif: Self.exif), into: EncoderOutput(.jpeg, sink))
            var samples = [UInt8](repeating: 0, count: size.width)
            try samples.withUnsafeMutableBufferPointer { samples in
                try writer.write(available: [size.height, size.height, size.height]) { plane, y in
                    for x in samples.indices { samples[x] = UInt8(truncatingIfNeeded: 60 + x * 3 + y * plane) }
                    return UnsafePointer(samples.baseAddress!)
                }
            }
            try writer.finish()
            return sink.bytes
        }
        let (baseline, progressive) = (try planes(progressive: false), try planes(progressive: true))
        #expect(FrameHeader(progressive)?.code == 0xC2 && FrameHeader(baseline)?.code == 0xC0)
        #expect(try decode(MemorySource(baseline)) == decode(MemorySource(progressive)))
        #expect(try EmbeddedMetadata.read(MemorySource(progressive)).exif == Self.exif)
    }

    @Test(arguments: [1, 3]) func downsampledJPEGCanBeProgressiveWithMetadata(channels: Int) throws {
        let input = try PixelBuffer.waves(90, 60, channels: channels).jpeg()
        let target = PixelSize(width: 40, height: 27)
        let (plain, _) = try downsample(MemorySource(input), to: .exactly(target), encode: EncodeOptions())
        let source = MemorySource(input)
        let sink = MemorySink()
        let wanted = Output(
            .exactly(target), encoding: EncodeOptions(isProgressive: true), exif: ExifBlock(Self.exif), sink: sink)
        try downsample(source, inspect(source), to: [wanted]) { _, _ in }
        let output = sink.bytes
        #expect(FrameHeader(output)?.code == 0xC2 && FrameHeader(plain)?.code == 0xC0)
        #expect(try EmbeddedMetadata.read(MemorySource(output)).exif == Self.exif)
        #expect(try decode(MemorySource(output)) == decode(MemorySource(plain)))
    }

    @Test(arguments: [1, 2, 3, 4]) func interlacedPNGIsLossless(channels: Int) throws {
        for (width, height) in [(1, 1), (3, 2), (8, 8), (37, 21)] {
            let picture = PixelBuffer.noise(width, height, channels: channels)
            let bytes = try written(picture, .png, PictureMetadata(), progressive: true)
            #expect(bytes[28] == 1)
            #expect(try decode(MemorySource(bytes)) == picture)
        }
    }

    @Test func progressiveOutputRespectsTheMemoryLimit() throws {
        let picture = PixelBuffer.waves(500, 500, channels: 3)
        func code(_ format: OutputFormat, isDirect: Bool, _ bytes: Int) throws -> String? {
            let options = DecodeOptions(limits: DecodeLimits(maxMemoryBytes: bytes), memory: MemoryBudget())
            let source = MemorySource(try isDirect ? picture.jpeg() : encode(picture, EncodeOptions(format: .png)))
            let output = Output(
                Geometry(), encoding: EncodeOptions(format: format, isProgressive: true), sink: MemorySink())
            return failureCode { try downsample(source, inspect(source), to: [output], options: options) { _, _ in } }
        }
        for (format, isDirect, bytes) in [
            (OutputFormat.jpeg, true, 1_500_000), (.jpeg, false, 1_500_000), (.png, false, 1_000_000),
        ] {
            #expect(try code(format, isDirect: isDirect, bytes - 1) == "out-of-memory-limit")
            #expect(try code(format, isDirect: isDirect, bytes) == nil)
        }
    }
}
