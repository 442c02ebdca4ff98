import Formats
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct TileLevelTests {
    private func sizes(_ width: Int, _ height: Int, leastSide: Int = 2048) -> [String] {
        TileLevel.levels(of: PixelSize(width: width, height: height), leastSide: leastSide).map(\.size.description)
    }

    @Test func eachLevelHasHalfTheSidesOfThePreviousLevel() {
        #expect(sizes(12000, 8333) == ["12000x8333", "6000x4167", "3000x2083"])
        #expect(sizes(4096, 10) == ["4096x10", "2048x5"])
        #expect(sizes(4094, 10) == ["4094x10"])
        #expect(sizes(1, 8192) == ["1x8192", "1x4096", "1x2048"])
        #expect(sizes(100, 50) == ["100x50"])
        #expect(sizes(2, 3, leastSide: 1) == ["2x3", "1x2", "1x1"])
    }

    @Test func lastColumnAndRowHaveTheRemainingPixels() {
        let level = TileLevel.levels(of: PixelSize(width: 1025, height: 512), leastSide: 2048)[0]
        let tiles = level.tiles(stored: .upright)
        #expect(
            tiles.map { [$0.column, $0.row, $0.x, $0.y, $0.width, $0.height] } == [
                [0, 0, 0, 0, 512, 512], [1, 0, 512, 0, 512, 512], [2, 0, 1024, 0, 1, 512],
            ])
    }

    @Test(arguments: Orientation.allCases) func storedTilesCoverThePictureRowByRow(orientation: Orientation) {
        for (width, height) in [(1, 1), (512, 512), (513, 1024), (1700, 1025)] {
            let level = TileLevel.levels(of: PixelSize(width: width, height: height), leastSide: 2048)[0]
            let stored = orientation.swapsAxes ? level.size.swapped : level.size
            var (x, y, bottom) = (0, 0, 0)
            for tile in level.tiles(stored: orientation) {
                if x == stored.width { (x, y) = (0, bottom) }
                #expect(tile.x == x && tile.y == y)
                let size = PixelSize(width: tile.width, height: tile.height)
                let upright = orientation.swapsAxes ? size.swapped : size
                #expect(upright.width == min(512, width - 512 * tile.column))
                #expect(upright.height == min(512, height - 512 * tile.row))
                (x, bottom) = (x + tile.width, y + tile.height)
            }
            #expect(x == stored.width && bottom == stored.height)
        }
    }

    private final class Tiles: TileSink {
        let leastSide = 300
        var files: [String: [UInt8]] = [:]

        func write(_ file: [UInt8], level: Int, column: Int, row: Int) {
            files["\(level)-\(column)-\(row)"] = file
        }
    }

    @Test(arguments: Orientation.allCases) func tilesShowTheUprightPicture(orientation: Orientation) throws {
        let pixels = PixelBuffer.waves(700, 530, channels: 3)
        let source = MemorySource(try encode(pixels, EncodeOptions(format: .png)))
        let info = ImageHeader(format: .png, storedSize: pixels.size, orientation: orientation)
        let upright = pixels.upright(from: orientation)
        let tiles = Tiles()
        var sizes: [PixelSize] = []
        let output = Output(
            Geometry(), encoding: EncodeOptions(quality: 95, chroma: .full), sink: MemorySink(), tiles: tiles)
        try downsample(source, info, to: [output]) { sizes.append($1.size) }
        #expect(sizes == [upright.size])
        let isTall = upright.size.height > upright.size.width
        #expect(tiles.files.keys.sorted() == ["0-0-0", "0-0-1", "0-1-0", "0-1-1", "1-0-0"])
        let tile = try decode(MemorySource(try #require(tiles.files["0-1-1"])))
        #expect(tile.size == PixelSize(width: isTall ? 18 : 188, height: isTall ? 188 : 18))
        let corner = (0..<tile.size.height).flatMap { y in
            let start = ((512 + y) * upright.size.width + 512) * 3
            return upright.bytes[start..<start + tile.size.width * 3]
        }
        #expect(psnr(tile.bytes, corner) > 30)
        let small = try decode(MemorySource(try #require(tiles.files["1-0-0"])))
        #expect(small.size == PixelSize(width: upright.size.width / 2, height: upright.size.height / 2))
        #expect(psnr(small.bytes, referenceLanczos(upright, to: small.size).bytes) > 30)
    }
}
