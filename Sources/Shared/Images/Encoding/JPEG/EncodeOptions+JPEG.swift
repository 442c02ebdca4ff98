import Formats

extension EncodeOptions {
    /// Returns the approximate memory per pixel of encoding a JPEG.
    func bytesPerJPEGPixel(of size: PixelSize) -> Int {
        // Three planes, and their halved chroma.
        let planes = holdsJPEG(of: size, isGray: false) ? 4 : 0
        // Two bytes per sample, and two more generations for trellis quantisation.
        let coefficients = isProgressive || holds(size) ? 6 : 0
        return planes + coefficients * (choosesCoefficients && holds(size) ? 3 : 1)
    }

    /// Whether to use trellis quantisation.
    var choosesCoefficients: Bool { effort > 6 }

    /// Whether a JPEG of this size is encoded as a whole.
    func holdsJPEG(of size: PixelSize, isGray: Bool) -> Bool {
        effort > 3 && holds(size) || !isGray && chromaSampling(of: size) == nil
    }

    /// Returns the coding of a JPEG. Without effort, it is the same as in most programs.
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
