import Formats

extension EncodeOptions {
    /// Memory that a pixel of a PNG takes which is held: as it comes, packed, filtered and compressed.
    static let bytesPerHeldPNGPixel = 24

    /// Memory that an encoder takes for each pixel of a picture of that size, about, if it wants the whole of it.
    func bytesPerPixel(of size: PixelSize) -> Int {
        switch format {
        case .jpeg: bytesPerJPEGPixel(of: size)
        case .png: holds(size) ? Self.bytesPerHeldPNGPixel : isProgressive ? 4 : 0
        // An animation's: three canvases, the frame that waits, and its palette numbers.
        case .gif: 20
        // The pixels, twice if their colours are halved with care, and what libwebp makes of them.
        case .webp: chroma == .halved ? 8 : 16
        // The pixels, libavif's planes, and the several copies of them that an AV1 encoder works on.
        case .avif: 16
        }
    }
}
