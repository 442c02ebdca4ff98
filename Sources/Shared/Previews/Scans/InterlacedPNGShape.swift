import Formats

/// How the pixels of an interlaced PNG lie in the seven passes of Adam7 (PNG §8.2).
struct InterlacedPNGShape: Equatable {
    static let passes = 1...7

    let header: PNGHeader
    /// How many bytes the filtered rows of each pass have, and those before it.
    let ends: [Int]

    /// The first column and row of each pass, and the steps to the next ones.
    private static let origins = [(0, 0), (4, 0), (0, 4), (2, 0), (0, 2), (1, 0), (0, 1)]
    private static let steps = [(8, 8), (8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2)]
    /// The block that each pixel stands for once a pass is complete.
    private static let blocks = [(8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2), (1, 1)]

    /// Nil if the picture is not interlaced, or has more bytes than `byteLimit`, which is checked before anything is
    /// multiplied that may overflow.
    init?(_ header: PNGHeader, byteLimit: Int) {
        guard header.isInterlaced else { return nil }
        self.header = header
        let size = header.size
        let bits = header.depth * header.channels
        // With at most eight bytes a pixel, and a filter's byte for each row, nothing overflows below.
        let byteLimit = min(byteLimit, 1 << 40)
        guard let pixels = size.pixels, pixels <= byteLimit else { return nil }
        var total = 0
        var ends: [Int] = []
        for pass in Self.passes {
            let part = Self.size(of: pass, in: size)
            if part.width > 0 { total += part.height * (1 + Self.rowBytes(part.width, bits)) }
            ends.append(total)
        }
        guard total <= byteLimit else { return nil }
        self.ends = ends
    }

    var size: PixelSize { header.size }

    var bitsPerPixel: Int { header.depth * header.channels }

    /// Bytes of a pixel, at least 1: what a filter looks back by (§9.2).
    var pixelBytes: Int { max(1, bitsPerPixel / 8) }

    /// Bytes of a row of so many pixels, without its filter.
    func rowBytes(_ width: Int) -> Int { Self.rowBytes(width, bitsPerPixel) }

    private static func rowBytes(_ width: Int, _ bits: Int) -> Int { (width * bits + 7) / 8 }

    /// Columns and rows of a pass; in small pictures there may be none.
    func size(of pass: Int) -> PixelSize { Self.size(of: pass, in: size) }

    private static func size(of pass: Int, in size: PixelSize) -> PixelSize {
        let (origin, step) = (origins[pass - 1], steps[pass - 1])
        let width = (size.width - origin.0 + step.0 - 1) / step.0
        let height = (size.height - origin.1 + step.1 - 1) / step.1
        return width > 0 && height > 0 ? PixelSize(width: width, height: height) : PixelSize(width: 0, height: 0)
    }

    /// The last pass that has pixels.
    var lastPass: Int { Self.passes.last { size(of: $0).width > 0 } ?? 1 }

    /// The first pixel of a pass and the steps to the next ones, in pixels of the picture.
    func place(of pass: Int) -> (origin: (x: Int, y: Int), step: (x: Int, y: Int)) {
        (Self.origins[pass - 1], Self.steps[pass - 1])
    }

    /// How many columns and rows each known pixel stands for once `pass` is complete.
    func block(after pass: Int) -> (width: Int, height: Int) { Self.blocks[pass - 1] }
}
