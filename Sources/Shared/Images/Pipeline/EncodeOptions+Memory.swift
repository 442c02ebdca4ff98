import Formats

extension EncodeOptions {
    /// Memory per pixel of a PNG that is held: raw, packed, filtered and compressed.
    static let bytesPerHeldPNGPixel = 24

    /// Returns the approximate memory per pixel of an encoder that needs the whole picture.
    func bytesPerPixel(of size: PixelSize) -> Int {
        switch format {
        case .jpeg: bytesPerJPEGPixel(of: size)
        case .png: holds(size) ? Self.bytesPerHeldPNGPixel : isProgressive ? 4 : 0
        // As for an animation: three canvases, the pending frame, and its palette indices.
        case .gif: 20
        // The pixels, twice for careful halving of chroma, and libwebp's memory.
        case .webp: chroma == .halved ? 8 : 16
        // The pixels, libavif's planes, and several copies in the AV1 encoder.
        case .avif: 16
        }
    }
}
