import Formats

extension EncodeOptions {
    /// The sampling of a JPEG of that size; nil if its pixels are to be looked at first.
    func chromaSampling(of size: PixelSize) -> ChromaSampling? {
        switch chroma {
        case .halved: .halved
        case .full: .full
        case .auto where quality >= Self.fullChromaQuality: .full
        // The fewest pixels are to be held that can be.
        case .auto: effort > 0 && (size.pixels ?? .max) <= 4 << 20 ? nil : .halved
        }
    }

    /// From this quality on, colours are not to be blurred.
    private static let fullChromaQuality = 90

    /// Whether all chroma of an RGB picture is kept that is held anyway; `channels` is 3 or 4.
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
