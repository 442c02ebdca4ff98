import Formats

/// The layout of an interlaced PNG's pixels in the seven passes of Adam7 (PNG §8.2).
struct InterlacedPNGShape {
    /// A pass's first column and row, the steps between its pixels, and the block that each pixel fills in a preview.
    typealias Pass = (x: Int, y: Int, across: Int, down: Int, blockWidth: Int, blockHeight: Int)

    static let passes: [Pass] = [
        (0, 0, 8, 8, 8, 8), (4, 0, 8, 8, 4, 8), (0, 4, 4, 8, 4, 4), (2, 0, 4, 4, 2, 4), (0, 2, 2, 4, 2, 2),
        (1, 0, 2, 2, 1, 2), (0, 1, 1, 2, 1, 1),
    ]

    let header: PNGHeader
    /// The end of each pass, as an offset in the decompressed data.
    private(set) var ends: [Int] = []

    /// Returns nil if the picture is not interlaced, or has more bytes than `byteLimit`. Checks the limit before any
    /// multiplication that may overflow.
    init?(_ header: PNGHeader, byteLimit: Int) {
        self.header = header
        // With at most eight bytes per pixel and a filter byte per row, the arithmetic below cannot overflow.
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

    /// Bytes per pixel, at least 1. Filters predict a byte from the byte at this distance before it (§9.2).
    var pixelBytes: Int { max(1, bitsPerPixel / 8) }

    /// The bytes of a row of `width` pixels, without the filter byte.
    func rowBytes(_ width: Int) -> Int { (width * bitsPerPixel + 7) / 8 }

    /// The size of a pass, whose sides may be 0 in small pictures.
    func size(of pass: Int) -> PixelSize {
        let pass = Self.passes[pass - 1]
        return PixelSize(
            width: (size.width - pass.x + pass.across - 1) / pass.across,
            height: (size.height - pass.y + pass.down - 1) / pass.down)
    }

    /// Returns the last pass up to `pass` that contains pixels.
    func lastPass(upTo pass: Int = Self.passes.count) -> Int { ends.firstIndex(of: ends[pass - 1])! + 1 }
}
