import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// Lossless size reduction of GIFs.
@Suite struct GIFSizeTests {
    private func options(_ effort: Int) -> EncodeOptions { EncodeOptions(format: .gif, effort: effort) }

    private func picture(_ width: Int, _ height: Int, _ colour: (Int, Int) -> [UInt8]) -> PixelBuffer {
        var bytes: [UInt8] = []
        for y in 0..<height { for x in 0..<width { bytes += colour(x, y) } }
        return PixelBuffer(
            size: PixelSize(width: width, height: height), channels: bytes.count / width / height, bytes: bytes)
    }

    /// The noise fills the LZW table dozens of times, with several code sizes.
    @Test(arguments: [2, 5, 60, 256], [0, 3, 9]) func noiseIsLosslessAtEveryEffort(colours: Int, effort: Int)
        throws
    {
        var random = SeededRandom(seed: UInt64(colours))
        let picture = picture(230, 210) { _, _ in
            let number = UInt8(Int.random(in: 0..<colours, using: &random))
            return [number, number &* 7, 255 - number]
        }
        #expect(try decode(MemorySource(encode(picture, options(effort)))) == picture)
    }

    /// Half of the pixels of each frame are unchanged; the encoder may draw or skip each of them.
    @Test(arguments: [0, 3, 9]) func framesWithUnchangedPixelsAreLossless(effort: Int) throws {
        var random = SeededRandom(seed: 7)
        let frames = (0..<4).map { step in
            (
                delay: 40,
                picture: picture(120, 90) { x, y in
                    let isStill = (x / 3 + y / 5) % 2 == 0
                    return [
                        isStill ? 9 : UInt8.random(in: 0..<3, using: &random), UInt8(isStill ? x % 7 : step), 40, 255,
                    ]
                }
            )
        }
        #expect(try allFrames(animation(frames, options(effort))).frames.map(\.picture) == frames.map(\.picture))
    }

    /// The stripes still repeat long after the LZW table is full.
    @Test func fullTableIsReusedWhileItCompressesWell() throws {
        var random = SeededRandom(seed: 3)
        let stripes = (0..<4).map { _ in (0..<250).map { _ in UInt8.random(in: 0..<16, using: &random) } }
        let picture = picture(250, 1200) { x, y in [stripes[y % 4][x]] }
        let bytes = try encode(picture, options(3))
        // With a new table whenever the table is full, the file would have 120,000 bytes.
        #expect(bytes.count < 95_000)
        #expect(try decode(MemorySource(bytes)).bytes == picture.bytes.flatMap { [$0, $0, $0] })
    }

    @Test func framesShareAPalette() throws {
        let frames = (0..<20).map { step in
            (delay: 40, picture: picture(8, 8) { x, y in [UInt8((x + y + step) % 20 * 12), UInt8(step), 0, 255] })
        }
        let bytes = try animation(frames, options(3))
        let layout = try GIFStructure.read(MemorySource(bytes))
        #expect(layout.frames.count == 20)
        // 20 palettes of 32 colours would take 1920 bytes.
        #expect(bytes.count < 256 * 3 + 20 * (20 + 80))
        #expect(try allFrames(bytes).frames.map(\.picture) == frames.map(\.picture))
    }

    @Test func frameWithNewColoursHasALocalPalette() throws {
        let frames = (0..<4).map { step in
            (delay: 40, picture: picture(20, 20) { x, y in [UInt8(x * 12), UInt8(y * 12), UInt8(step * 60), 255] })
        }
        for effort in [0, 3, 9] {
            let back = try allFrames(animation(frames, options(effort))).frames
            for (read, written) in zip(back, frames) { #expect(psnr(read.picture.bytes, written.picture.bytes) > 30) }
        }
    }

    @Test func higherEffortNeverMakesTheFileLarger() throws {
        let frames = (0..<6).map { step in
            (
                delay: 40,
                picture: picture(90, 70) { x, y in
                    let isInside = (x - 20 - step * 9) * (x - 20 - step * 9) + (y - 35) * (y - 35) < 300
                    return isInside ? [UInt8(x), UInt8(y), 200, 255] : [UInt8(x / 8 * 8), UInt8(y / 8 * 8), 60, 255]
                }
            )
        }
        let sizes = try [0, 3, 9].map { try animation(frames, options($0)).count }
        #expect(sizes[1] <= sizes[0] && sizes[2] <= sizes[1])
    }

    /// In a uniform area, each code adds a longer string to the LZW table if the encoder always takes the longest
    /// match.
    @Test(arguments: [0, 3, 9]) func uniformAreasTakeFewBytes(effort: Int) throws {
        let frames = (0..<2).map { step in
            (
                delay: 40,
                picture: picture(100, 100) { x, y in (x + step * 50) % 100 < 50 ? [250, 0, 0, 255] : [0, 0, 250, 255] }
            )
        }
        #expect(try animation(frames, options(effort)).count < 700)
    }

    /// 255 colours and the transparent index fit in a palette of 256.
    @Test func frameOf255ColoursSkipsUnchangedPixels() throws {
        let still = picture(100, 60) { x, y in [UInt8((x * 7 + y * 13) % 200), 0, 0, 255] }
        var moved = still
        for x in 0..<100 { for y in 0..<3 { moved.bytes[(y * 100 + x) * 4 + 1] = UInt8(1 + (y * 100 + x) % 255) } }
        for x in 0..<100 { for y in 0..<3 { moved.bytes[(y * 100 + x) * 4] = 0 } }
        moved.bytes[(59 * 100 + 99) * 4 + 1] = 1
        moved.bytes[(59 * 100 + 99) * 4] = 0
        let bytes = try animation([(40, still), (40, moved)], options(3))
        #expect(try allFrames(bytes).frames.map(\.picture) == [still, moved])
        #expect(bytes.count < (try animationBytes(still)) + 2500)
    }

    private func animationBytes(_ picture: PixelBuffer) throws -> Int {
        try animation([(40, picture)], options(3)).count
    }

    @Test func stillPictureHasNoGraphicControlExtension() throws {
        let bytes = try encode(PixelBuffer.noise(9, 9, channels: 1), options(3))
        // The image descriptor follows the palette.
        let paletteBytes = 3 << (Int(bytes[10] & 7) + 1)
        #expect(bytes[13 + paletteBytes] == 0x2C)
    }
}
