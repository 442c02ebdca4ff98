import Formats

/// The memory that libheif takes, in bytes per pixel.
///
/// Measured with libheif 1.15, libde265 1.0.11 and dav1d 1.0: the peak resident memory of the tool (GNU time) for noisy
/// clouds of 6000 x 4000 pixels less that for 3000 x 2000, divided by the 18 million pixels between them. `heif-enc` and
/// `avifenc` made the pictures.
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
/// Chroma and depth are read from the decoder's configuration.
enum HEIFMemory {
    /// For the rows of tiles of the colours and of the alpha that are in memory together.
    static func bytes(colours: HEIFPicture.Tiling, alpha: HEIFPicture.Tiling?) -> Int {
        guard let alpha else { return decoding(colours) }
        // Colours and alpha are each decoded beside a row of the other's tiles; the first row of colours beside none.
        let earlier = alpha.tiles.count > alpha.columns ? held(alpha, tiles: alpha.columns) : 0
        return max(
            earlier.adding(saturating: decoding(colours)),
            held(colours, tiles: colours.columns).adding(saturating: decoding(alpha)))
    }

    /// The last tile of a row while it is decoded, and thrice its bytes: ours, libheif's and the decoder's.
    private static func decoding(_ tiling: HEIFPicture.Tiling) -> Int {
        let peak = tiling.tiles.reduce(0) { max($0, tenths($1)) }
        let data = tiling.tiles.reduce(0) { max($0, $1.dataBytes) }
        let last = (tiling.tileSize.pixels ?? .max).multiplied(saturating: peak) / 10
        let taken = last.adding(saturating: data.multiplied(saturating: 3))
        return held(tiling, tiles: tiling.columns - 1).adding(saturating: taken)
    }

    /// Tiles that have been decoded.
    private static func held(_ tiling: HEIFPicture.Tiling, tiles: Int) -> Int {
        let sample = tiling.tiles.reduce(0) { max($0, ($1.isMonochrome ? 1 : 3) * ($1.isWide ? 2 : 1)) }
        return (tiling.tileSize.pixels ?? .max).multiplied(saturating: tiles).multiplied(saturating: sample)
    }

    /// Tenths of a byte for each pixel while it is decoded: the measured ones, and a tenth more.
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
