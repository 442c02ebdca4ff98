import Formats

/// How the pixels of an interlaced PNG lie in the seven passes of Adam7 (PNG §8.2).
struct InterlacedPNGShape {
    /// The first column and row of a pass, the steps from pixel to pixel, and the block that a pixel fills once the pass
    /// is complete.
    typealias Pass = (x: Int, y: Int, across: Int, down: Int, blockWidth: Int, blockHeight: Int)

    static let passes: [Pass] = [
        (0, 0, 8, 8, 8, 8), (4, 0, 8, 8, 4, 8), (0, 4, 4, 8, 4, 4), (2, 0, 4, 4, 2, 4), (0, 2, 2, 4, 2, 2),
        (1, 0, 2, 2, 1, 2), (0, 1, 1, 2, 1, 1),
    ]

    let header: PNGHeader
    /// The bytes of the filtered rows up to the end of each pass.
    private(set) var ends: [Int] = []

    /// Nil if the picture is not interlaced, or has more bytes than `byteLimit`, which is checked before anything is
    /// multiplied that may overflow.
    init?(_ header: PNGHeader, byteLimit: Int) {
        self.header = header
        // With at most eight bytes a pixel, and a filter's byte for each row, nothing overflows below.
        let byteLimit = min(byteLimit, 1 << 40)
        guard header.isInterlaced, let pixels = size.pixels, pixels <= byteLimit else { return nil }
        for pass in 1...Self.passes.count {
            let part = size(of: pass)
            ends.append((ends.last ?? 0) + (part.width > 0 ? part.height * (1 + rowBytes(part.width)) : 0))
        }
        guard ends[6] <= byteLimit else { return nil }
    }

    var size: PixelSize { header.size }

    var bitsPerPixel: Int { header.depth * header.channels }

    /// Bytes of a pixel, at least 1: what a filter looks back by (§9.2).
    var pixelBytes: Int { max(1, bitsPerPixel / 8) }

    /// Bytes of a row of so many pixels, without its filter.
    func rowBytes(_ width: Int) -> Int { (width * bitsPerPixel + 7) / 8 }

    /// Columns and rows of a pass; in small pictures there may be none.
    func size(of pass: Int) -> PixelSize {
        let pass = Self.passes[pass - 1]
        return PixelSize(
            width: (size.width - pass.x + pass.across - 1) / pass.across,
            height: (size.height - pass.y + pass.down - 1) / pass.down)
    }

    /// The last one of the passes up to `pass` that has pixels.
    func lastPass(upTo pass: Int = Self.passes.count) -> Int { ends.firstIndex(of: ends[pass - 1])! + 1 }
}
