import Formats

/// Luma samples per chroma sample, horizontally and vertically.
struct ChromaSampling: Hashable {
    var across: Int
    var down: Int

    /// 4:4:4 and 4:2:0.
    static let full = ChromaSampling(across: 1, down: 1), halved = ChromaSampling(across: 2, down: 2)

    /// Returns the size of a chroma plane.
    func chroma(of size: PixelSize) -> PixelSize {
        PixelSize(width: (size.width + across - 1) / across, height: (size.height + down - 1) / down)
    }

    /// Returns the sizes of the planes of a gray or YCbCr picture.
    func planes(of size: PixelSize, isGray: Bool) -> [PixelSize] {
        isGray ? [size] : [size, chroma(of: size), chroma(of: size)]
    }
}

extension EncodeOptions {
    /// Returns the sampling of a JPEG of this size, or nil if the pixels determine the sampling.
    func chromaSampling(of size: PixelSize) -> ChromaSampling? {
        switch chroma {
        case .halved: .halved
        case .full: .full
        case .auto where quality >= Self.fullChromaQuality: .full
        // The size limit bounds the memory for the pixels.
        case .auto: effort > 0 && (size.pixels ?? .max) <= 4 << 20 ? nil : .halved
        }
    }

    /// The lowest quality at which `.auto` always keeps full chroma.
    private static let fullChromaQuality = 90

    /// Whether to encode a picture with full chroma. The picture is in memory, with 3 or 4 channels.
    func keepsChroma(_ pixels: UnsafePointer<UInt8>, channels: Int, size: PixelSize) -> Bool {
        switch chroma {
        case .halved: false
        case .full: true
        case .auto:
            quality >= Self.fullChromaQuality
                || effort > 0
                    && ChromaLoss(pixels: pixels, channels: channels, width: size.width, height: size.height).isVisible
        }
    }
}
