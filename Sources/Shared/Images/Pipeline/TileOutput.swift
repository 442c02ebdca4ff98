import Formats
import Support

/// Receives the tiles of a picture. Each tile is a complete file.
public protocol TileSink: AnyObject {
    /// The minimum length of a level's longer side, in pixels. Only level 0 may be smaller.
    var leastSide: Int { get }

    func write(_ file: [UInt8], level: Int, column: Int, row: Int) throws
}

/// Cuts a level of a picture into tiles, and encodes them. Holds the rows of one row of tiles.
final class TileOutput: PixelConsumer {
    private let level: TileLevel
    private let orientation: Orientation
    private let channels: Int
    private let encoding: EncodeOptions
    private let options: DecodeOptions
    private let sink: any TileSink
    private let drain: EncoderOutput
    private let memory: MemoryReservation
    /// The samples in a stored row.
    private let samples: Int
    /// The tiles that are not written yet.
    private var rest: ArraySlice<TileLevel.Tile>
    /// The rows of the next tiles.
    private var rows: [UInt8] = []

    /// - Parameters:
    ///   - channels: 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha. Alpha is straight.
    ///   - drain: counts the bytes of the tiles.
    init(
        _ level: TileLevel, orientation: Orientation, channels: Int, encoding: EncodeOptions, options: DecodeOptions,
        into sink: any TileSink, counting drain: EncoderOutput
    ) throws {
        self.level = level
        self.orientation = orientation
        self.channels = channels
        self.encoding = encoding
        self.options = options
        self.sink = sink
        self.drain = drain
        samples = (orientation.swapsAxes ? level.size.height : level.size.width) * channels
        memory = try options.reserve(memory: samples * TileLevel.side)
        rest = level.tiles(stored: orientation)[...]
    }

    func write(_ row: UnsafeMutablePointer<UInt8>) throws {
        guard let next = rest.first else { return }
        if rows.isEmpty { rows.reserveCapacity(samples * next.height) }
        rows.append(contentsOf: UnsafeBufferPointer(start: row, count: samples))
        if rows.count == samples * next.height { try writeTiles() }
    }

    func finish() -> PlaceholderHash? { nil }

    /// Encodes the tiles of the collected rows.
    private func writeTiles() throws {
        let tiles = Array(rest.prefix { $0.y == rest.first?.y })
        rest = rest.dropFirst(tiles.count)
        let (rows, samples, channels, orientation, encoding) = (rows, samples, channels, orientation, encoding)
        let files = Monitor([[UInt8]](repeating: [], count: tiles.count))
        try options.spareThreads.perform(tiles.count) { number in
            let tile = tiles[number]
            var bytes: [UInt8] = []
            bytes.reserveCapacity(tile.width * tile.height * channels)
            for y in 0..<tile.height {
                let start = y * samples + tile.x * channels
                bytes += rows[start..<start + tile.width * channels]
            }
            let size = PixelSize(width: tile.width, height: tile.height)
            let pixels = PixelBuffer(size: size, channels: channels, bytes: bytes).upright(from: orientation)
            let file = try encode(pixels, encoding)
            files.withLock { $0[number] = file }
        } done: { number in
            try options.check()
            let file = files.withLock { $0[number] }
            try sink.write(file, level: level.number, column: tiles[number].column, row: tiles[number].row)
            drain.count += file.count
        }
        self.rows = []
    }
}
