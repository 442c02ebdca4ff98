import Formats
import Support

/// Limits for untrusted pictures. All are checked against the header before memory is allocated.
public struct DecodeLimits: Sendable, Hashable {
    /// Pixels of the stored picture. Default 400 million, half again as many as the largest JPEGs of telescopes (about
    /// 20 000 x 14 000).
    public var maxPixels: Int
    /// Bytes of the file. Default 256 MiB.
    public var maxInputBytes: Int
    /// Bytes of memory for pictures that do not stream: coefficients of a progressive JPEG, an interlaced PNG, a WebP,
    /// a small picture to be rotated. Shared by all concurrent pictures of a run (`MemoryBudget`). Default 1 GiB.
    public var maxMemoryBytes: Int
    /// Frames of an animation. Default 2000: a minute at 33 frames per second.
    public var maxFrames: Int
    /// Pixels of an animation's canvas times its frames. Default 4000 million, which take a processor half a minute.
    public var maxAnimationPixels: Int
    /// Seconds of work on a picture, not counting waits for memory that other pictures hold; `.infinity` for no limit.
    /// Default 60.
    public var maxSeconds: Double
    /// Scans of a JPEG. Default 500: real pictures have about 10, and each scan costs a pass over the whole picture.
    public var maxScans: Int

    public init(
        maxPixels: Int = 400_000_000, maxInputBytes: Int = 256 << 20, maxMemoryBytes: Int = 1 << 30,
        maxFrames: Int = 2000, maxAnimationPixels: Int = 4_000_000_000, maxSeconds: Double = 60, maxScans: Int = 500
    ) {
        self.maxPixels = maxPixels
        self.maxInputBytes = maxInputBytes
        self.maxMemoryBytes = maxMemoryBytes
        self.maxFrames = maxFrames
        self.maxAnimationPixels = maxAnimationPixels
        self.maxSeconds = maxSeconds
        self.maxScans = maxScans
    }

    public static let standard = DecodeLimits()

    func check(bytes count: Int) throws(ImageError) {
        if count > maxInputBytes { throw .tooManyBytes(count, limit: maxInputBytes) }
    }

    func check(pixels size: PixelSize) throws(ImageError) {
        guard let pixels = size.pixels, pixels <= maxPixels else { throw .tooManyPixels(size, limit: maxPixels) }
    }

    /// Checks an animation of `count` frames on a canvas of `size`. Also call it while frames are being counted.
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

    /// Checks the memory of a whole picture, and returns it in bytes.
    @discardableResult
    func check(memory size: PixelSize, bytesPerPixel: Int) throws(ImageError) -> Int {
        let (bytes, overflow) = (size.pixels ?? .max).multipliedReportingOverflow(by: bytesPerPixel)
        try check(memory: overflow ? .max : bytes)
        return bytes
    }
}
