import Formats

extension EncodeOptions {
    /// Memory that an encoder takes for each pixel of a JPEG of that size, about.
    func bytesPerJPEGPixel(of size: PixelSize) -> Int {
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
