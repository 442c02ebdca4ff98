import CLCMS
import Formats
import Support
import Testing

@testable import Images

@Suite struct ColourTests {
    /// A profile with the given curve, and with primaries that are sRGB's or much wider ones.
    private func profile(gamma: Double, wide: Bool) -> [UInt8] {
        var white = cmsCIExyY()
        cmsWhitePointFromTemp(&white, 6504)
        func primary(_ x: Double, _ y: Double) -> cmsCIExyY { cmsCIExyY(x: x, y: y, Y: 1) }
        var primaries = cmsCIExyYTRIPLE(
            Red: primary(0.64, 0.33), Green: wide ? primary(0.21, 0.71) : primary(0.30, 0.60),
            Blue: primary(0.15, 0.06))
        var curves: [OpaquePointer?] = (0..<3).map { _ in cmsBuildGamma(nil, gamma) }
        let handle = cmsCreateRGBProfile(&white, &primaries, &curves)
        defer {
            cmsCloseProfile(handle)
            cmsFreeToneCurve(curves[0])
            cmsFreeToneCurve(curves[1])
            cmsFreeToneCurve(curves[2])
        }
        return saved(handle)
    }

    private func saved(_ handle: cmsHPROFILE?) -> [UInt8] {
        var count: UInt32 = 0
        cmsSaveProfileToMem(handle, nil, &count)
        var bytes = [UInt8](repeating: 0, count: Int(count))
        cmsSaveProfileToMem(handle, &bytes, &count)
        return bytes
    }

    /// A JPEG of the picture with the profile in it.
    private func jpeg(_ picture: PixelBuffer, profile: [UInt8]) throws -> [UInt8] {
        let payload = Array("ICC_PROFILE".utf8) + [0, 1, 1] + profile
        let length = payload.count + 2
        let bytes = try picture.jpeg(quality: 100)
        return Array(bytes[0..<2]) + [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + payload + bytes[2...]
    }

    @Test func aProfileThatIsSRGBNeedsNoTransform() {
        let sRGB = cmsCreate_sRGBProfile()
        defer { cmsCloseProfile(sRGB) }
        #expect(ColourTransform(profile: saved(sRGB), layout: .rgb) == nil)
        #expect(ColourTransform(profile: profile(gamma: 2.2, wide: true), layout: .rgb) != nil)
        #expect(ColourTransform(profile: profile(gamma: 1.8, wide: false), layout: .rgb) != nil)
    }

    @Test func aProfileThatIsDamagedOrOfOtherPixelsIsIgnored() {
        let bytes = profile(gamma: 2.2, wide: true)
        #expect(ColourTransform(profile: nil, layout: .rgb) == nil)
        #expect(ColourTransform(profile: Array(bytes[0..<60]), layout: .rgb) == nil)
        #expect(ColourTransform(profile: Array(repeating: 7, count: 500), layout: .rgb) == nil)
        #expect(ColourTransform(profile: bytes, layout: .gray) == nil)
        #expect(ColourTransform(profile: bytes, layout: .cmyk) == nil)
    }

    @Test func wideColoursBecomeSRGBOnEveryPath() throws {
        let picture = PixelBuffer(size: PixelSize(width: 40, height: 30), filledWith: [120, 150, 110])
        let input = try jpeg(picture, profile: profile(gamma: 2.2, wide: true))
        let transform = try #require(ColourTransform(profile: profile(gamma: 2.2, wide: true), layout: .rgb))
        var expected: [UInt8] = [0, 0, 0]
        transform.apply([120, 150, 110], &expected, count: 1)
        #expect(expected != [120, 150, 110])
        for format in [OutputFormat.jpeg, .png] {
            let output = try shrunk(
                input, to: PixelSize(width: 16, height: 12), EncodeOptions(format: format, quality: 100))
            #expect(
                zip(output.bytes, expected).allSatisfy { abs(Int($0) - Int($1)) <= 3 },
                "\(output.bytes[0..<3]), not \(expected)")
        }
        #expect(try zip(decode(MemorySource(input)).bytes, expected).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
    }

    @Test func theProfileOfAPNGIsRead() throws {
        let bytes = try encode(.noise(8, 8, channels: 3, seed: 4), EncodeOptions(format: .png))
        let plain = try decode(MemorySource(bytes))
        let profile = profile(gamma: 1.0, wide: false)
        // iCCP behind IHDR (PNG §11.3.3.3): name, compression method, a zlib stream of one stored block.
        var stream: [UInt8] = [0x78, 0x01, 1]
        let count = UInt16(profile.count)
        stream += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)] + profile
        let (a, b) = profile.reduce((UInt32(1), UInt32(0))) { sums, byte in
            let a = (sums.0 + UInt32(byte)) % 65521
            return (a, (sums.1 + a) % 65521)
        }
        stream += [UInt8(b >> 8), UInt8(b & 255), UInt8(a >> 8), UInt8(a & 255)]
        let chunk = Array("iCCP".utf8) + Array("linear".utf8) + [0, 0] + stream
        let size = chunk.count - 4
        let length = [0, 0, UInt8(size >> 8), UInt8(size & 255)]
        let tagged = Array(bytes[0..<33]) + length + chunk + crc(chunk) + bytes[33...]
        let converted = try decode(MemorySource(tagged))
        #expect(converted != plain)
        // Linear light looks brighter when written in sRGB.
        #expect(zip(converted.bytes, plain.bytes).allSatisfy { $0 >= $1 })
    }

    /// CRC-32 as PNG wants it (annex D), most significant byte first.
    private func crc(_ bytes: [UInt8]) -> [UInt8] {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
        }
        let value = ~crc
        return [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }
}
