import CLCMS
import Formats
import Libc
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct ColourTests {
    private func profile(gamma: Double, wide: Bool) -> [UInt8] { TestProfile.matrix(gamma: gamma, wide: wide) }

    /// Encodes a picture as a JPEG with an embedded profile.
    private func jpeg(_ picture: PixelBuffer, profile: [UInt8]) throws -> [UInt8] {
        let payload = Array("ICC_PROFILE".utf8) + [0, 1, 1] + profile
        let length = payload.count + 2
        let bytes = try picture.jpeg(quality: 100)
        return Array(bytes[0..<2]) + [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + payload + bytes[2...]
    }

    /// Encodes a picture as a PNG with an embedded profile (iCCP, PNG §11.3.2.3).
    private func png(_ picture: PixelBuffer, profile: [UInt8]) throws -> [UInt8] {
        let bytes = try encode(picture, EncodeOptions(format: .png))
        let chunk = PNGChunk("iCCP", Array("profile".utf8) + [0, 0] + Deflate.zlib(profile)).bytes
        return Array(bytes[0..<33]) + chunk + bytes[33...]
    }

    @Test func sRGBProfileNeedsNoTransform() {
        let sRGB = cmsCreate_sRGBProfile()
        defer { cmsCloseProfile(sRGB) }
        #expect(ColourTransform(profile: TestProfile.saved(sRGB), layout: .rgb) == nil)
        #expect(ColourTransform(profile: profile(gamma: 2.2, wide: true), layout: .rgb) != nil)
        #expect(ColourTransform(profile: profile(gamma: 1.8, wide: false), layout: .rgb) != nil)
    }

    @Test func gammaCloseToSRGBIsStillConverted() throws {
        let ramp = PixelBuffer(
            size: PixelSize(width: 64, height: 8),
            channels: 3, bytes: (0..<8).flatMap { _ in (0..<64).flatMap { [UInt8](repeating: UInt8($0), count: 3) } })
        let png = try png(ramp, profile: profile(gamma: 2.22, wide: false))
        let shown = try decode(MemorySource(png))
        for level in 0..<64 {
            let wanted = 255 * SRGBCurve.coded(pow(Double(level) / 255, 2.22))
            #expect(abs(Double(shown.sample(level, 0, 0)) - wanted) <= 1, "level \(level)")
        }
        // Level 12 becomes 3 in sRGB.
        #expect(shown.sample(12, 0, 1) <= 4)
    }

    @Test(arguments: [(gamma: 2.4, offset: 0.055, isSRGB: true), (2.4, 0.045, false), (2.3, 0.055, false)])
    func curveIsSRGBIfNoLevelChanges(gamma: Double, offset: Double, isSRGB: Bool) {
        let curve = (0...255).map { level in
            let coded = Double(level) / 255
            return Float(coded <= 0.04045 ? coded / 12.92 : pow((coded + offset) / (1 + offset), gamma))
        }
        for curves in [[curve], [curve, curve, curve]] {
            #expect(LightEncoding(curves: curves, matrix: .identity).isSRGB == isSRGB)
        }
    }

    @Test func primariesAreSRGBIfNoColourChanges() {
        let curves = [[Float]](repeating: SRGBCurve.light, count: 3)
        func isSRGB(_ mixed: Double) -> Bool {
            let matrix = Matrix3(rows: (1 - mixed, mixed, 0), (0, 1, 0), (0, 0, 1))
            return LightEncoding(curves: curves, matrix: matrix).isSRGB
        }
        #expect(isSRGB(0.000_1))
        // With this matrix, pure green gains 0.7 levels of red.
        #expect(!isSRGB(0.000_2))
    }

    @Test func matrixTimesItsInverseIsTheIdentity() throws {
        let matrix = LightEncoding.primaries
        let product = matrix * (try #require(matrix.inverse))
        #expect(zip(product.values, Matrix3.identity.values).allSatisfy { abs($0 - $1) < 1e-12 })
        #expect(Matrix3(rows: (1, 2, 3), (2, 4, 6), (0, 0, 1)).inverse == nil)
    }

    @Test func damagedOrMismatchedProfileIsIgnored() {
        let bytes = profile(gamma: 2.2, wide: true)
        #expect(ColourTransform(profile: nil, layout: .rgb) == nil)
        #expect(ColourTransform(profile: Array(bytes[0..<60]), layout: .rgb) == nil)
        #expect(ColourTransform(profile: Array(repeating: 7, count: 500), layout: .rgb) == nil)
        #expect(ColourTransform(profile: bytes, layout: .gray) == nil)
        // Inks are converted even without a valid profile.
        #expect(ColourTransform(profile: bytes, layout: .cmyk)?.toleratesScaling == false)
    }

    @Test func wideGamutIsConvertedOnEveryPath() throws {
        let picture = PixelBuffer(size: PixelSize(width: 40, height: 30), filledWith: [120, 150, 110])
        let input = try jpeg(picture, profile: profile(gamma: 2.2, wide: true))
        let transform = try #require(ColourTransform(profile: profile(gamma: 2.2, wide: true), layout: .rgb))
        var expected: [UInt8] = [0, 0, 0]
        try transform.apply([120, 150, 110], &expected, count: 1, checking: DecodeOptions())
        #expect(expected != [120, 150, 110])
        for format in [OutputFormat.jpeg, .png] {
            let output = try downsampled(
                input, to: PixelSize(width: 16, height: 12), EncodeOptions(format: format, quality: 100))
            #expect(
                zip(output.bytes, expected).allSatisfy { abs(Int($0) - Int($1)) <= 3 },
                "\(output.bytes[0..<3]), not \(expected)")
        }
        #expect(try zip(decode(MemorySource(input)).bytes, expected).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
    }

    @Test func profileOfAPNGIsApplied() throws {
        let picture = PixelBuffer.noise(8, 8, channels: 3, seed: 4)
        let plain = try decode(MemorySource(encode(picture, EncodeOptions(format: .png))))
        let converted = try decode(MemorySource(png(picture, profile: profile(gamma: 1.0, wide: false))))
        #expect(converted != plain)
        // Linear samples become brighter when they are converted to sRGB.
        #expect(zip(converted.bytes, plain.bytes).allSatisfy { $0 >= $1 })
    }

    @Test func longRowIsConvertedInPiecesAndCanBeCancelled() throws {
        let transform = try #require(ColourTransform(profile: profile(gamma: 2.2, wide: true), layout: .rgb))
        let row = PixelBuffer.noise(70_000, 1, channels: 3).bytes
        var whole = row
        let interruption = Interruption()
        let options = DecodeOptions(interruption: interruption)
        try transform.apply(row, &whole, count: 70_000, checking: options)
        for start in stride(from: 0, to: 70_000, by: 1000) {
            let piece = Array(row[start * 3..<(start + 1000) * 3])
            var converted = piece
            try transform.apply(piece, &converted, count: 1000, checking: options)
            #expect(converted[...] == whole[start * 3..<(start + 1000) * 3])
        }
        interruption.cancel(.outputClosed)
        #expect(throws: Cancelled.self) {
            try transform.apply(row, &whole, count: 70_000, checking: options)
        }
    }

    @Test func floatingPointPipelinesAreIgnored() throws {
        // This profile has a table, because profiles with curves and a matrix use no pipeline.
        let plain = TestProfile.table()
        let handle = cmsOpenProfileFromMem(plain, UInt32(plain.count))
        // Inverts the colours many times.
        let pipeline = cmsPipelineAlloc(nil, 3, 3)
        for _ in 0..<2001 {
            let stage = cmsStageAllocMatrix(nil, 3, 3, [-1, 0, 0, 0, -1, 0, 0, 0, -1], [1, 1, 1])
            #expect(cmsPipelineInsertStage(pipeline, cmsAT_END, stage) != 0)
        }
        defer {
            cmsPipelineFree(pipeline)
            cmsCloseProfile(handle)
        }
        for tag in [cmsSigDToB0Tag, cmsSigDToB1Tag] {
            #expect(cmsWriteTag(handle, tag, UnsafeRawPointer(pipeline)) != 0)
        }
        func converted(_ profile: [UInt8]) throws -> [UInt8] {
            let transform = try #require(ColourTransform(profile: profile, layout: .rgb))
            var pixel: [UInt8] = [120, 150, 110]
            try transform.apply([120, 150, 110], &pixel, count: 1, checking: DecodeOptions())
            return pixel
        }
        #expect(try converted(TestProfile.saved(handle)) == converted(plain))
    }

    @Test func memoryOfAProfileIsLimited() throws {
        let context = try #require(ColourContext())
        let first = try #require(_cmsMalloc(context.pointer, 60 << 20))
        #expect(_cmsMalloc(context.pointer, 60 << 20) == nil)
        // Freed bytes are not credited, because the limit also bounds the work.
        _cmsFree(context.pointer, first)
        #expect(_cmsMalloc(context.pointer, 60 << 20) == nil)
    }

    @Test func tooLargeProfileIsIgnored() throws {
        let profile = profile(gamma: 2.2, wide: true)
        func padded(_ count: Int) -> [UInt8] { profile + [UInt8](repeating: 0, count: count - profile.count) }
        let limit = ColourTransform.profileByteLimit
        #expect(ColourTransform(profile: padded(limit), layout: .rgb) != nil)
        #expect(ColourTransform(profile: padded(limit + 1), layout: .rgb) == nil)
        for (count, isKept) in [(limit, true), (limit + 1, false)] {
            let metadata = PictureMetadata(profile: padded(count))
            let webp = try encode(.waves(8, 8, channels: 3), EncodeOptions(format: .webp, metadata: metadata))
            let source = MemorySource(webp)
            let still = try WebPReader(source, size: PixelSize(width: 8, height: 8), options: DecodeOptions())
            #expect(still.profile?.count == (isKept ? count : nil))
            #expect(try WebPAnimationReader(source, options: DecodeOptions()).profile?.count == (isKept ? count : nil))
        }
    }
}
