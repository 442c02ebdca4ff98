import Formats
import Libc
import Support
import TestSupport
import Testing

@testable import Images

/// The colour chunks of PNGs and their precedence. `ColourTests` tests the contents of profiles.
@Suite struct PNGColourTests {
    private static let cicpOfSRGB = PNGChunk("cICP", [1, 13, 0, 1])
    private static let wideProfile = PNGChunk(
        "iCCP", [112, 0, 0] + Deflate.zlib(TestProfile.matrix(gamma: 1.0, wide: true)))
    private static let sRGB = PNGChunk("sRGB", [0])
    private static let linear = gamma(100_000)

    private static func gamma(_ value: UInt32) -> PNGChunk { PNGChunk("gAMA", number(value)) }

    private static func number(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }

    /// Returns the decoded colour of a pixel.
    private func shown(_ pixel: [UInt8], _ chunks: [PNGChunk]) throws -> [UInt8] {
        let picture = DrawnPicture(width: 1, height: 1, channels: pixel.count, bytes: pixel)
        return try decode(MemorySource(picture.png(chunks: chunks))).bytes
    }

    private func coded(_ light: Double) -> Double { 255 * SRGBCurve.coded(light) }

    @Test func colourChunksHaveTheSpecifiedPrecedence() throws {
        let pixel: [UInt8] = [120, 60, 200]
        let wide = try shown(pixel, [Self.wideProfile])
        let linear = try shown(pixel, [Self.linear])
        #expect(wide != pixel && linear != pixel && wide != linear)
        #expect(try shown(pixel, [Self.linear, Self.wideProfile, Self.cicpOfSRGB]) == pixel)
        #expect(try shown(pixel, [Self.linear, Self.wideProfile]) == wide)
        #expect(try shown(pixel, [Self.linear, Self.sRGB]) == pixel)
        // Ignored chunks: not RGB, an unspecified transfer function, unspecified primaries, and too short.
        for unusable in [[1, 13, 1, 1], [1, 2, 0, 1], [2, 13, 0, 1], [1, 13, 0]] as [[UInt8]] {
            #expect(try shown(pixel, [Self.wideProfile, PNGChunk("cICP", unusable)]) == wide)
        }
    }

    @Test(arguments: [45_455, 55_556, 100_000] as [UInt32]) func gammaIsAppliedAsAPowerFunction(gamma: UInt32) throws {
        let exponent = 100_000 / Double(gamma)
        for level in stride(from: 0, through: 255, by: 15) {
            let wanted = coded(pow(Double(level) / 255, exponent))
            let gray = try shown([UInt8(level)], [Self.gamma(gamma)])
            let colour = try shown([UInt8(level), UInt8(level), UInt8(level), 99], [Self.gamma(gamma)])
            #expect(abs(Double(gray[0]) - wanted) <= 0.6)
            #expect(abs(Double(colour[1]) - wanted) <= 0.6)
            #expect(colour[3] == 99)
        }
        // An extreme exponent is ignored.
        #expect(try shown([120], [Self.gamma(1)]) == [120])
    }

    @Test func adobeRGBChromaticitiesAreConverted() throws {
        let points: [UInt32] = [31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000]
        let chunks = [PNGChunk("gAMA", Self.number(45_470)), PNGChunk("cHRM", points.flatMap(Self.number))]
        // The matrix from Adobe RGB (1998) to sRGB, both with the white of D65.
        let light = [120.0, 150, 110].map { pow($0 / 255, 100_000 / 45_470) }
        let wanted = [
            1.39836 * light[0] - 0.39836 * light[1], light[1], -0.04293 * light[1] + 1.04293 * light[2],
        ].map(coded)
        #expect(zip(try shown([120, 150, 110], chunks), wanted).allSatisfy { abs(Double($0) - $1) <= 1 })
    }

    @Test func displayP3IsConvertedInLinearLight() throws {
        let light = [200.0, 90, 80].map { SRGBCurve.light(of: $0 / 255) }
        let wanted = [
            1.22494 * light[0] - 0.22494 * light[1], -0.04206 * light[0] + 1.04206 * light[1],
            -0.01964 * light[0] - 0.07864 * light[1] + 1.09828 * light[2],
        ].map(coded)
        let p3 = try shown([200, 90, 80], [PNGChunk("cICP", [12, 13, 0, 1])])
        #expect(zip(p3, wanted).allSatisfy { abs(Double($0) - $1) <= 1 }, "\(p3), not \(wanted)")
    }

    @Test func narrowRangeIsExpanded() throws {
        for (level, wanted) in [(16, 0), (235, 255), (8, 0), (250, 255), (126, 128)] as [(UInt8, UInt8)] {
            #expect(try shown([level, level, level], [PNGChunk("cICP", [1, 13, 0, 0])]) == [wanted, wanted, wanted])
        }
    }

    // MARK: High dynamic range

    private func perceptual(_ candela: Double, _ more: [PNGChunk] = []) throws -> [UInt8] {
        let level = UInt8((255 * ToneConversion.perceptual(ofLight: candela / 10_000)).rounded())
        return try shown([level, level, level], more + [PNGChunk("cICP", [9, 16, 0, 1])])
    }

    @Test func pqKeepsDarkTonesAndMapsItsPeakToWhite() throws {
        #expect(try perceptual(0) == [0, 0, 0])
        // From an 8-bit level of PQ to the next, the light changes by 4 %.
        for candela in [5.0, 20, 60] {
            let gray = try perceptual(candela)
            #expect(abs(Double(gray[0]) - coded(candela / 203)) <= 3, "\(candela) cd/m²: \(gray)")
        }
        let tones = try [60, 100, 203, 400, 1000].map { try perceptual($0)[0] }
        #expect(tones == tones.sorted() && Set(tones).count == tones.count)
        #expect((200...245).contains(tones[2]))
        #expect(tones[4] >= 254)
        #expect(try perceptual(4000) == [255, 255, 255])
    }

    @Test func peakLuminanceIsReadFromTheFile() throws {
        let ofPixels = PNGChunk("cLLI", Self.number(4000 * 10_000) + Self.number(100 * 10_000))
        let ofScreen = PNGChunk(
            "mDCV", [UInt8](repeating: 0, count: 16) + Self.number(4000 * 10_000) + Self.number(1))
        for chunk in [ofPixels, ofScreen] {
            #expect(try perceptual(400, [chunk])[0] + 4 < perceptual(400)[0])
            #expect(try perceptual(4000, [chunk])[0] >= 254)
        }
        let dim = PNGChunk("cLLI", Self.number(100 * 10_000) + Self.number(50 * 10_000))
        #expect(abs(Double(try perceptual(100, [dim])[0]) - coded(100.0 / 203)) <= 3)
    }

    @Test func hlgAndPQHaveTheSameReferenceWhite() throws {
        let hybrid = PNGChunk("cICP", [9, 18, 0, 1])
        // A level of 75 % is 203 cd/m² on a display of 1000 cd/m² (ITU-R BT.2408 table 1).
        let white = try shown([191, 191, 191], [hybrid])
        #expect(abs(Int(white[0]) - Int(try perceptual(203)[0])) <= 3)
        #expect(white[0] == white[1] && white[1] == white[2])
        #expect(try shown([0, 0, 0], [hybrid]) == [0, 0, 0])
        #expect(try shown([255, 255, 255], [hybrid]) == [255, 255, 255])
        #expect(try shown([191], [hybrid]) == [white[0]])
    }

    @Test func toneMappingPreservesHues() throws {
        let level = { UInt8((255 * ToneConversion.perceptual(ofLight: $0 / 10_000)).rounded()) }
        let colour = try shown([level(800), level(400), level(200)], [PNGChunk("cICP", [1, 16, 0, 1])])
        let light = colour.map { SRGBCurve.light(of: Double($0) / 255) }
        #expect(abs(light[0] / light[1] - 2) < 0.15 && abs(light[1] / light[2] - 2) < 0.15, "\(colour)")
    }

    // MARK: 16 bits

    /// A PNG with a single row of 16-bit samples.
    private func wide(_ samples: [UInt16], channels: Int, interlaced: Bool, _ chunk: PNGChunk) -> [UInt8] {
        let type: [UInt8] = [0, 4, 2, 6]
        let header =
            Self.number(UInt32(samples.count / channels)) + Self.number(1) + [16, type[channels - 1], 0, 0]
            + [interlaced ? 1 : 0]
        var data: [UInt8] = []
        // One row, split by Adam7 into four passes: every 8th pixel, then the pixels between.
        let count = samples.count / channels
        let passes = interlaced ? [(0, 8), (4, 8), (2, 4), (1, 2)] : [(0, 1)]
        for (first, step) in passes where first < count {
            data.append(0)
            for x in stride(from: first, to: count, by: step) {
                for sample in samples[x * channels..<(x + 1) * channels] {
                    data += [UInt8(sample >> 8), UInt8(sample & 255)]
                }
            }
        }
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return signature + PNGChunk("IHDR", header).bytes + chunk.bytes
            + PNGChunk("IDAT", Deflate.zlib(data)).bytes + PNGChunk("IEND", []).bytes
    }

    @Test(arguments: [1, 2, 3, 4], [false, true])
    func linear16BitRampKeepsAllLevels(channels: Int, interlaced: Bool) throws {
        let ramp = (0...255).map { UInt16((SRGBCurve.light(of: Double($0) / 255) * 65535).rounded()) }
        let pixels = ramp.flatMap { level in
            let colour = [UInt16](repeating: level, count: channels < 3 ? 1 : 3)
            return channels % 2 == 0 ? colour + [0x8080] : colour
        }
        var chunks = [Self.linear, PNGChunk("cICP", [1, 8, 0, 1])]
        if channels > 2 {
            chunks.append(
                PNGChunk("iCCP", [112, 0, 0] + Deflate.zlib(TestProfile.matrix(gamma: 1.0, wide: false))))
        }
        for chunk in chunks {
            let shown = try decode(
                MemorySource(wide(pixels, channels: channels, interlaced: interlaced, chunk)))
            for x in 0...255 {
                #expect(abs(Int(shown.sample(x, 0, 0)) - x) <= 1, "\(chunk.type), level \(x)")
                if channels % 2 == 0 { #expect(shown.sample(x, 0, channels - 1) == 128) }
            }
            #expect(Set((0...255).map { shown.sample($0, 0, 0) }).count >= 250)
        }
    }

    @Test func tableProfileConvertsAll16Bits() throws {
        let table = PNGChunk("iCCP", [112, 0, 0] + Deflate.zlib(TestProfile.table()))
        let steps = (0..<64).map { UInt16(0x8000 + 40 * $0) }
        let shown = try decode(
            MemorySource(wide(steps.flatMap { [$0, $0, $0] }, channels: 3, interlaced: false, table)))
        // The 64 steps cover ten 8-bit levels; at least nine must occur.
        #expect(Set((0..<64).map { shown.sample($0, 0, 1) }).count >= 9)
    }
}
