import Testing

@testable import Formats
@testable import Images

/// Memory estimates in megabytes, compared with the default limit of 1 GiB.
@Suite struct HEIFMemoryTests {
    private func coded(
        _ codec: HEIFPicture.Coded.Codec, _ megapixels: Int, isMonochrome: Bool = false, isWide: Bool = false,
        isSubsampled: Bool = true, bytes: Int = 0
    ) -> HEIFPicture.Coded {
        HEIFPicture.Coded(
            codec: codec, size: PixelSize(width: 1000, height: megapixels * 1000), data: [0..<bytes],
            configuration: 0..<1, isMonochrome: isMonochrome, isWide: isWide, isSubsampled: isSubsampled,
            signal: nil, layer: nil, operatingPoint: 0)
    }

    private func single(_ tile: HEIFPicture.Coded) -> HEIFPicture.Tiling {
        HEIFPicture.Tiling(size: tile.size, columns: 1, tiles: [tile])
    }

    private func megabytes(_ colours: HEIFPicture.Tiling, _ alpha: HEIFPicture.Tiling? = nil) -> Int {
        HEIFMemory.bytes(colours: colours, alpha: alpha) / 1_000_000
    }

    @Test func picturesOf108MegapixelsFitTheDefaultLimit() {
        let limit = DecodeLimits.standard.maxMemoryBytes / 1_000_000
        let bytes = 40_000_000
        #expect(megabytes(single(coded(.hevc, 108, bytes: bytes))) == 745 + 120)
        #expect(megabytes(single(coded(.av1, 108, bytes: bytes))) == 810 + 120)
        let alpha = single(coded(.av1, 108, isMonochrome: true, bytes: 5_000_000))
        #expect(megabytes(single(coded(.av1, 108)), alpha) == 324 + 572 + 15)
        #expect(megabytes(single(coded(.av1, 30, isWide: true, isSubsampled: false))) == 837)
        #expect(megabytes(single(coded(.av1, 108, isWide: true))) > limit, "10 bits")
        #expect(megabytes(single(coded(.av1, 108, isSubsampled: false))) > limit, "4:4:4")
    }

    @Test func gridNeedsMemoryForARowOfTiles() {
        let tile = coded(.hevc, 1, bytes: 100_000)
        let grid = HEIFPicture.Tiling(
            size: PixelSize(width: 10_000, height: 20_000), columns: 10,
            tiles: Array(repeating: tile, count: 200))
        #expect(megabytes(grid) == 9 * 3 + 7)
        // While colours are decoded, a row of alpha tiles is in memory.
        #expect(megabytes(grid, grid) == 10 * 3 + 9 * 3 + 7)
    }

    @Test func overflowingSizesSaturate() {
        let tile = HEIFPicture.Coded(
            codec: .av1, size: PixelSize(width: .max, height: 2), data: [0..<Int.max], configuration: 0..<1,
            isMonochrome: false, isWide: true, isSubsampled: false, signal: nil, layer: nil, operatingPoint: 0)
        let tiling = HEIFPicture.Tiling(size: tile.size, columns: 3, tiles: [tile, tile, tile])
        #expect(HEIFMemory.bytes(colours: tiling, alpha: tiling) == .max)
    }
}
