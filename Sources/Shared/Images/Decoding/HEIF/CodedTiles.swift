import CHEIF
import Formats
import Support

/// Reads samples from tiles. libheif decodes each tile separately, so only one row of tiles is in memory, and decoding
/// can be stopped between tiles.
final class CodedTiles {
    let tiling: HEIFPicture.Tiling
    private let source: any ByteSource
    private let format: ImageFormat
    private let isAlpha: Bool
    private let options: DecodeOptions
    /// The number of the row of tiles in memory.
    private var row = -1
    private var tiles: [DecodedTile] = []

    init(
        _ tiling: HEIFPicture.Tiling, of source: any ByteSource, _ format: ImageFormat, isAlpha: Bool,
        _ options: DecodeOptions
    ) {
        self.tiling = tiling
        self.source = source
        self.format = format
        self.isAlpha = isAlpha
        self.options = options
    }

    /// Reads columns of a row into pixels of `channels` samples. Colour tiles write only R, G and B, and alpha tiles
    /// write only alpha. Scales the samples to the full range of `Sample`.
    func read<Sample: FixedWidthInteger & UnsignedInteger>(
        row y: Int, _ columns: Range<Int>, into pixels: UnsafeMutablePointer<Sample>, channels: Int
    ) throws {
        let size = tiling.tileSize
        if y / size.height != row {
            tiles = []
            row = y / size.height
            tiles = try tiling.tiles[row * tiling.columns..<(row + 1) * tiling.columns].map(decode)
        }
        for (index, tile) in tiles.enumerated() {
            let start = index * size.width
            let part = columns.clamped(to: start..<start + size.width)
            guard !part.isEmpty else { continue }
            tile.copy(
                row: y % size.height, part.lowerBound - start..<part.upperBound - start,
                into: pixels + (part.lowerBound - columns.lowerBound) * channels, channels: channels, isAlpha: isAlpha)
        }
    }

    private func decode(_ coded: HEIFPicture.Coded) throws -> DecodedTile {
        try options.check(before: .decodingHEIF(coded.size))
        let file = try CodedFile.bytes(coded, of: source, format, options)
        var pixels = cheif_pixels()
        var picture: OpaquePointer?
        let kind = cheif_kind(is_gray: coded.isMonochrome ? 1 : 0, is_wide: coded.isWide ? 1 : 0)
        let status = cheif_decode(file.bytes, file.count, kind, &pixels, &picture)
        func message() -> String {
            withUnsafeBytes(of: pixels.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        switch status {
        case CHEIF_OK: break
        case CHEIF_NO_MEMORY: throw ImageError.outOfMemory
        case CHEIF_UNSUPPORTED: throw ImageError.unsupported(format, message())
        case CHEIF_OVER_LIMIT: throw ImageError.overLimit(format, message())
        default: throw ImageError.corrupt(format, message())
        }
        guard let picture else { throw ImageError.outOfMemory }
        // HEVC has limited range unless the file signals full range, but encoders omit this signal for full-range
        // alpha.
        let isLimited = pixels.is_limited != 0 && !(isAlpha && coded.codec == .hevc && coded.signal == nil)
        let tile = DecodedTile(picture, pixels, isLimited: isLimited)
        // Throws if decoding the tile exceeded the time limit.
        try options.check()
        guard Int(pixels.width) == coded.size.width, Int(pixels.height) == coded.size.height else {
            throw ImageError.corrupt(format, "the header and the decoder disagree on the size")
        }
        return tile
    }
}

/// The samples of a tile as libheif returned them.
private final class DecodedTile {
    private let picture: OpaquePointer
    private let pixels: cheif_pixels
    private let rows: UnsafePointer<UInt8>
    /// The range of sample values: the bounds become 0 and the maximum of the output.
    private let levels: ClosedRange<UInt32>

    init(_ picture: OpaquePointer, _ pixels: cheif_pixels, isLimited: Bool) {
        self.picture = picture
        self.pixels = pixels
        rows = pixels.rows!
        let bits = UInt32(pixels.bits)
        // Limited range is 16 to 235 for 8 bits (ITU-T H.273 §8.3).
        levels = isLimited && bits >= 8 ? 16 << (bits - 8)...235 << (bits - 8) : 0...1 << bits - 1
    }

    deinit { cheif_close(picture) }

    func copy<Sample: FixedWidthInteger & UnsignedInteger>(
        row y: Int, _ columns: Range<Int>, into target: UnsafeMutablePointer<Sample>, channels: Int, isAlpha: Bool
    ) {
        let row = rows + y * pixels.stride
        let stored = Int(pixels.channels)
        if Sample.self == UInt8.self, pixels.bits == 8, stored == 3, channels == 3 {
            let bytes = UnsafeMutableRawPointer(target).assumingMemoryBound(to: UInt8.self)
            return bytes.update(from: row + columns.lowerBound * 3, count: columns.count * 3)
        }
        let (least, most) = (levels.lowerBound, levels.upperBound)
        let (span, all) = (UInt64(most - least), UInt64(Sample.max))
        func level(_ index: Int) -> Sample {
            let value =
                pixels.bits > 8
                ? UInt32(row[index * 2]) | UInt32(row[index * 2 + 1]) << 8 : UInt32(row[index])
            return Sample((UInt64(min(max(value, least), most) - least) * all + span / 2) / span)
        }
        for (x, column) in columns.enumerated() {
            let pixel = target + x * channels
            if isAlpha {
                // If alpha is stored as gray RGB, all channels are equal.
                pixel[channels - 1] = level(column * stored + stored / 2)
            } else if stored == 1 {
                let gray = level(column)
                for channel in 0..<3 { pixel[channel] = gray }
            } else {
                for channel in 0..<3 { pixel[channel] = level(column * 3 + channel) }
            }
        }
    }
}
