import Formats

extension DecodeLimits {
    func check(bytes count: Int) throws(ImageError) {
        if count > maxInputBytes { throw .tooManyBytes(count, limit: maxInputBytes) }
    }

    func check(pixels size: PixelSize) throws(ImageError) {
        guard let pixels = size.pixels, pixels <= maxPixels else { throw .tooManyPixels(size, limit: maxPixels) }
    }

    /// Checks an animation of `count` frames on a canvas of `size`. May be called while frames are being counted.
    func check(frames count: Int, of size: PixelSize) throws(ImageError) {
        if count > maxFrames { throw .tooManyFrames(count, limit: maxFrames) }
        let (pixels, overflow) = (size.pixels ?? .max).multipliedReportingOverflow(by: count)
        if overflow || pixels > maxAnimationPixels {
            throw .tooManyAnimationPixels(size, frames: count, limit: maxAnimationPixels)
        }
    }

    func check(memory bytes: Int) throws(ImageError) {
        if bytes > maxMemoryBytes { throw .tooMuchMemory(bytes: bytes, limit: maxMemoryBytes) }
    }

    /// Checks the memory for a whole picture, and returns the number of bytes.
    @discardableResult
    func check(memory size: PixelSize, bytesPerPixel: Int) throws(ImageError) -> Int {
        let (bytes, overflow) = (size.pixels ?? .max).multipliedReportingOverflow(by: bytesPerPixel)
        try check(memory: overflow ? .max : bytes)
        return bytes
    }
}
