import Support

/// Limits for untrusted pictures, checked against the header before memory is allocated.
public struct DecodeLimits: Sendable, Hashable {
    /// Pixels of the stored picture. The default is 1.4 times the largest JPEGs that telescopes publish (about 20 000 x
    /// 14 000).
    public var maxPixels: Int
    /// Bytes of the file.
    public var maxInputBytes: Int
    /// Bytes of memory for pictures that must be in memory as a whole, such as a progressive JPEG, an interlaced PNG or
    /// a WebP. Shared by all pictures that a run decodes at the same time (`MemoryBudget`).
    public var maxMemoryBytes: Int
    /// Frames of an animation. The default is a minute at 33 frames per second.
    public var maxFrames: Int
    /// Pixels of an animation's canvas times its frames. The default takes one processor half a minute.
    public var maxAnimationPixels: Int
    /// Seconds of work on one picture, without the time spent waiting for memory; `.infinity` for no limit.
    public var maxSeconds: Double
    /// Scans of a JPEG. Real pictures have about 10, and each scan costs a pass over the whole picture.
    public var maxScans: Int

    public init(
        maxPixels: Int = 400_000_000, maxInputBytes: Int = ByteCount.largestPicture, maxMemoryBytes: Int = 1 << 30,
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
}
