import CKernels
import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// Lossless size reduction of PNGs.
@Suite struct PNGSizeTests {
    private func picture(_ width: Int, _ height: Int, _ colour: (Int, Int) -> [UInt8]) -> PixelBuffer {
        var bytes: [UInt8] = []
        for y in 0..<height { for x in 0..<width { bytes += colour(x, y) } }
        let channels = bytes.count / width / height
        return PixelBuffer(size: PixelSize(width: width, height: height), channels: channels, bytes: bytes)
    }

    /// R, G, B and alpha of every pixel, for any number of channels.
    private func colours(_ picture: PixelBuffer) -> [UInt32] {
        picture.bytes.withUnsafeBufferPointer { bytes in
            stride(from: 0, to: bytes.count, by: picture.channels).map {
                PackedColour(samples: bytes.baseAddress! + $0, channels: picture.channels).bits
            }
        }
    }

    private func written(_ picture: PixelBuffer, effort: Int = 3, interlaced: Bool = false) throws -> (
        bytes: [UInt8], header: PNGHeader
    ) {
        let options = EncodeOptions(format: .png, effort: effort, isProgressive: interlaced)
        let bytes = try encode(picture, options)
        let back = try decode(MemorySource(bytes))
        #expect(back.size == picture.size)
        #expect(colours(back) == colours(picture), "effort \(effort)")
        return (bytes, try PNGHeader(Array(bytes[16..<29])))
    }

    private func random(_ seed: UInt64) -> () -> UInt8 {
        var random = SeededRandom(seed: seed)
        return { UInt8.random(in: 0...255, using: &random) }
    }

    @Test(arguments: 1...4, [false, true]) func everyPixelIsKeptAtEveryEffort(channels: Int, interlaced: Bool) throws {
        for effort in [0, 1, 3, 5, 7, 9] {
            for size in [
                PixelSize(width: 1, height: 1), PixelSize(width: 3, height: 70), PixelSize(width: 61, height: 5),
            ] {
                var noise = PixelBuffer.noise(size.width, size.height, channels: channels, seed: UInt64(effort))
                _ = try written(noise, effort: effort, interlaced: interlaced)
                // Reduces the noise to few colours, some of them transparent.
                for place in noise.bytes.indices { noise.bytes[place] &= 0x80 }
                _ = try written(noise, effort: effort, interlaced: interlaced)
            }
        }
    }

    @Test(arguments: [(2, 1), (4, 2), (16, 4), (17, 8), (256, 8)])
    func fewColoursBecomeAPalette(colours: Int, depth: Int) throws {
        let next = random(UInt64(colours))
        let palette = (0..<colours).map { [UInt8($0), next(), next(), UInt8($0 % 3 == 1 ? 100 : 255)] }
        var index = 0
        let picture = picture(70, 41) { _, _ in
            index += 1
            return palette[index <= colours ? index - 1 : Int(next()) % colours]
        }
        for interlaced in [false, true] {
            let header = try written(picture, interlaced: interlaced).header
            #expect((header.colourType, header.depth) == (3, depth))
            #expect(header.isInterlaced == interlaced)
        }
    }

    @Test(arguments: [(1, 255), (2, 85), (4, 17), (8, 1)]) func grayUsesTheFewestPossibleBits(depth: Int, step: Int)
        throws
    {
        let picture = picture(40, 30) { x, y in
            let level = UInt8((x + y * 40) % (255 / step + 1) * step)
            return [level, level, level, 255]
        }
        let header = try written(picture).header
        #expect((header.colourType, header.depth) == (0, depth))
    }

    @Test func unneededChannelsAreRemoved() throws {
        let next = random(5)
        let opaque = picture(50, 40) { _, _ in [next(), next(), next(), 255] }
        #expect(try written(opaque).header.colourType == 2)
        let gray = picture(50, 40) { x, _ in [UInt8(x), UInt8(x), UInt8(x), next() | 1] }
        #expect(try written(gray).header.colourType == 4)
        // Only one colour is transparent, and no pixel is translucent.
        let keyed = picture(50, 40) { x, y in (x + y) % 7 == 0 ? [0, 0, 0, 0] : [next() | 1, next(), next(), 255] }
        #expect(try written(keyed).header.colourType == 2)
        let hidden = picture(50, 40) { x, y in
            (x + y) % 7 == 0 ? [next(), 0, 0, 0] : [next() | 1, next(), next(), 255]
        }
        #expect(try written(hidden).header.colourType == 6)
    }

    @Test func grayWithAnRGBProfileStaysInColour() throws {
        var profile = [UInt8](repeating: 0, count: 132)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        profile.replaceSubrange(36..<40, with: Array("acsp".utf8))
        let options = EncodeOptions(format: .png, effort: 3, metadata: PictureMetadata(profile: profile))
        let gray = picture(40, 30) { x, y in [UInt8(x), UInt8(x), UInt8(x)] }
        let colourType = try encode(gray, options)[25]
        #expect(colourType == 2 || colourType == 3)
    }

    @Test func higherEffortNeverMakesTheFileLarger() throws {
        let soft = PixelBuffer.waves(150, 110, channels: 3)
        let drawn = picture(150, 110) { x, y in [UInt8(x / 20 * 20), UInt8(y / 11 * 11), UInt8((x * y) % 5), 255] }
        for picture in [soft, drawn] {
            let sizes = try [0, 3, 9].map { try written(picture, effort: $0).bytes.count }
            #expect(sizes[1] <= sizes[0] && sizes[2] <= sizes[1], "\(sizes)")
        }
    }

    @Test func maximumSizeHeldInMemoryDependsOnTheEffort() {
        #expect(!EncodeOptions(format: .png, effort: 6).holds(PixelSize(width: 4096, height: 1025)))
        #expect(EncodeOptions(format: .png, effort: 1).holds(PixelSize(width: 4096, height: 1024)))
        #expect(EncodeOptions(format: .png, effort: 9).holds(PixelSize(width: 4096, height: 4096)))
        #expect(!EncodeOptions(format: .png, effort: 9).holds(PixelSize(width: 4097, height: 4096)))
        #expect(!EncodeOptions(format: .png, effort: 0).holds(PixelSize(width: 1, height: 1)))
    }

    @Test(arguments: [1, 2, 3, 4]) func everyFilterIsReversible(pixel: Int) {
        let rows = PixelBuffer.noise(40, 2, channels: pixel).bytes
        let (above, row) = (Array(rows[..<(40 * pixel)]), Array(rows[(40 * pixel)...]))
        for filter in Int32(0)...4 {
            var filtered = [UInt8](repeating: 0, count: row.count)
            var back = filtered
            apod_filter(filter, pixel, row, above, &filtered, row.count)
            #expect(apod_unfilter(APOD_KERNEL_SCALAR, filter, pixel, filtered, above, &back, row.count) == 0)
            #expect(back == row)
        }
    }
}
