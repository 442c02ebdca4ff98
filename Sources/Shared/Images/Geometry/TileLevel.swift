import Formats

/// A level of a picture that is cut into square tiles. A viewer loads only the visible tiles, from the level that the
/// zoom needs.
///
/// Level 0 has all pixels of the picture. Each further level has half the width and half the height.
public struct TileLevel: Sendable, Hashable {
    public let number: Int
    /// The upright size in pixels.
    public let size: PixelSize

    /// The width and height of a tile in pixels. Tiles in the last column can be narrower, and tiles in the last row
    /// can be shorter.
    public static let side = 512

    /// Returns the levels whose longer side has at least `leastSide` pixels, but always level 0.
    public static func levels(of picture: PixelSize, leastSide: Int) -> [TileLevel] {
        var levels = [TileLevel(number: 0, size: picture)]
        while true {
            let number = levels.count
            let size = PixelSize(width: halved(picture.width, number), height: halved(picture.height, number))
            guard max(size.width, size.height) >= leastSide, size != levels[number - 1].size else { return levels }
            levels.append(TileLevel(number: number, size: size))
        }
    }

    /// Divides by a power of two, rounded to the nearest pixel.
    private static func halved(_ side: Int, _ times: Int) -> Int { max((side + 1 << (times - 1)) >> times, 1) }

    /// A tile, and its rectangle in the stored picture.
    struct Tile: Hashable {
        let column: Int, row: Int
        let x: Int, y: Int
        let width: Int, height: Int
    }

    /// Returns the tiles in the order of their stored rows, then of their stored columns. Columns and rows count from
    /// the top left corner of the upright picture.
    func tiles(stored orientation: Orientation) -> [Tile] {
        let map = StoredPosition(orientation: orientation, stored: orientation.swapsAxes ? size.swapped : size)
        var tiles: [Tile] = []
        for top in stride(from: 0, to: size.height, by: Self.side) {
            for left in stride(from: 0, to: size.width, by: Self.side) {
                let first = map.stored(x: left, y: top)
                let last = map.stored(
                    x: min(left + Self.side, size.width) - 1, y: min(top + Self.side, size.height) - 1)
                tiles.append(
                    Tile(
                        column: left / Self.side, row: top / Self.side, x: min(first.x, last.x),
                        y: min(first.y, last.y), width: abs(first.x - last.x) + 1, height: abs(first.y - last.y) + 1))
            }
        }
        return tiles.sorted { ($0.y, $0.x) < ($1.y, $1.x) }
    }
}
