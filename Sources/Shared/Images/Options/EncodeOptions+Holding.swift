import Formats

extension EncodeOptions {
    /// Whether a picture of that size may be held as a whole for the sake of a smaller file; a larger one flows through.
    func holds(_ size: PixelSize) -> Bool {
        let most = effort == 0 ? 0 : effort < 7 ? 4 << 20 : 16 << 20
        return (size.pixels ?? .max) <= most
    }

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

    private func bytesPerJPEGPixel(of size: PixelSize) -> Int {
        // Three planes, and their halved chroma.
        let planes = holdsJPEG(of: size, isGray: false) ? 4 : 0
        // Two bytes for each sample, of which there are two generations more if they are chosen.
        let coefficients = isProgressive || holds(size) ? 6 : 0
        return planes + coefficients * (choosesCoefficients && holds(size) ? 3 : 1)
    }

    /// Whether a JPEG's coefficients are chosen by the bits that they take.
    var choosesCoefficients: Bool { effort > 6 }

    /// Whether a JPEG of that size is held until all of it has come.
    func holdsJPEG(of size: PixelSize, isGray: Bool) -> Bool {
        effort > 3 && holds(size) || !isGray && chromaSampling(of: size) == nil
    }

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

    /// How a JPEG is coded. With no effort it is as most programs write it.
    func jpegCoding(_ sampling: ChromaSampling, _ size: PixelSize) -> JPEGCoding {
        if effort == 0 {
            return JPEGCoding(
                quality: quality, sampling: sampling, isOptimized: false,
                scans: isProgressive ? JPEGCoding.standardScans : [])
        }
        return JPEGCoding(
            quality: quality, sampling: sampling, tables: QuantizationTables(tunedFor: quality, sampling),
            isOptimized: holds(size), scans: isProgressive ? JPEGCoding.fewScans : [])
    }
}
