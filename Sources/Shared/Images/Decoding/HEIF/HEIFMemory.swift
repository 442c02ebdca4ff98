import Formats

/// The memory that libheif needs, in bytes per pixel.
///
/// Measured with libheif 1.15, libde265 1.0.11 and dav1d 1.0, on noisy clouds of 6000 x 4000 and of 3000 x 2000 pixels,
/// written by `heif-enc` and `avifenc`. Each figure is the difference between the peak resident memory (GNU time) for
/// both sizes, divided by 18 million pixels.
///
/// | | HEVC | AV1 |
/// | --- | --- | --- |
/// | 8 bits, 4:2:0 | 6.3 | 6.8 |
/// | 8 bits, 4:4:4 | 7.4 | 12.9 |
/// | 10 bits, 4:2:0 | 18.3 | 18.0 |
/// | 10 and 12 bits, 4:4:4 | | 25.0 to 25.3 |
/// | 8 bits, gray | | 4.8 |
/// | 8 bits, 4:2:0, and alpha | 6.3 | 8.1 |
/// | 10 bits, 4:4:4, and alpha | | 25.0 |
///
/// Chroma subsampling and bit depth are read from the decoder configuration.
enum HEIFMemory {
    /// Returns the peak memory of a decode that keeps a row of colour tiles and a row of alpha tiles.
    static func bytes(colours: HEIFPicture.Tiling, alpha: HEIFPicture.Tiling?) -> Int {
        guard let alpha else { return decoding(colours) }
        // While a row of colour tiles is decoded, a row of alpha tiles is in memory, and vice versa. Only the first row
        // of colour tiles is decoded before any alpha tile.
        let earlier = alpha.tiles.count > alpha.columns ? held(alpha, tiles: alpha.columns) : 0
        return max(
            earlier.adding(saturating: decoding(colours)),
            held(colours, tiles: colours.columns).adding(saturating: decoding(alpha)))
    }

    /// The memory while the last tile of a row is decoded. The compressed data of that tile is in memory three times:
    /// here, in libheif and in the decoder.
    private static func decoding(_ tiling: HEIFPicture.Tiling) -> Int {
        let peak = tiling.tiles.reduce(0) { max($0, tenths($1)) }
        let data = tiling.tiles.reduce(0) { max($0, $1.dataBytes) }
        let last = (tiling.tileSize.pixels ?? .max).multiplied(saturating: peak) / 10
        let taken = last.adding(saturating: data.multiplied(saturating: 3))
        return held(tiling, tiles: tiling.columns - 1).adding(saturating: taken)
    }

    /// The memory of decoded tiles.
    private static func held(_ tiling: HEIFPicture.Tiling, tiles: Int) -> Int {
        let sample = tiling.tiles.reduce(0) { max($0, ($1.isMonochrome ? 1 : 3) * ($1.isWide ? 2 : 1)) }
        return (tiling.tileSize.pixels ?? .max).multiplied(saturating: tiles).multiplied(saturating: sample)
    }

    /// The peak memory while a tile is decoded, in tenths of a byte per pixel: the measured values plus 10 %.
    private static func tenths(_ coded: HEIFPicture.Coded) -> Int {
        switch (coded.isMonochrome, coded.isWide, coded.isSubsampled) {
        case (true, false, _): 53
        case (true, true, _): 106
        case (false, false, true): coded.codec == .hevc ? 69 : 75
        case (false, false, false): coded.codec == .hevc ? 82 : 142
        case (false, true, true): 201
        case (false, true, false): 279
        }
    }
}
